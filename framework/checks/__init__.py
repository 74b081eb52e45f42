"""What users give: values, arguments of public functions, functions."""
