"""What users may give: values, arguments of public functions, their functions."""
