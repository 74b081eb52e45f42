"""The public names by task: pages of the reference, sections of each page, and names in each section."""

TASKS: dict[str, tuple[str, str, dict[str, str]]] = {
    "drives": (
        "Belt and rope drives",
        "Whole belts and ropes by one call, their results, and theory to compare with.",
        {
            "Belts and ropes": "Belt Rope Pulley timing_distance",
            "Steady motion": "SteadyDrive SteadyPulley SteadySpan TensionerArm BeltCreep belt_creep",
            "Results": "DriveReport PulleyDuty SpanDuty DriveMeans DriveSensor PulleyReport PulleySensor pulley_report "
            "format_reports draw_belt",
            "Machines": "characteristic_load engine_speed torsional_damper",
            "Contact for belts without load": "FreeBelt choose_free_belt",
        },
    ),
    "model": (
        "Build a model",
        "The world, its entities, and nodes; elements and connectors are [components](../components/index.md).",
        {
            "World": "World Entity Part",
            "Nodes and rotations": "generic_node state_node nodes_of euler_parameters euler_parameters_of "
            "euler_parameter_rates rotation_matrix",
            "Reduced bodies": "Superelement craig_bampton",
        },
    ),
    "cables": (
        "Lay cables",
        "Cables along lines, around circles and over sheaves, hanging cables, nets from files, ropes of winches.",
        {
            "Cables": "straight_cable cable_around cable_along catenary",
            "Beams with shear": "straight_beam beam_along round_section rectangular_section",
            "Routes": "Route route_around straight SpatialRoute route_over_sheaves helix SplineRoute through_points "
            "nodes_along Circle Sheave DrumLayers",
            "Hanging shapes": "FreeCatenary hang_between GroundedCatenary hang_from_ground",
            "Nets": "CableMesh cables_from_mesh",
            "Winches": "winch_rope winch_rope_along WinchReserve",
        },
    ),
    "supports": (
        "Support and drive",
        "Supports, prescribed motion, functions of time, and markers: the points and coordinates to which laws attach.",
        {
            "Supports": "fix hinge clamp",
            "Links that break": "BreakingLinks Link Break",
            "Prescribed motion": "prescribe prescribe_velocity",
            "Functions of time": "ramp smooth_step sine table spline read_series",
            "Force functions": "compiled vectorised",
            "Markers": "position_marker rigid_marker rotation_marker coordinate_marker shape_marker",
            "Inputs of control": "point_coordinate distance_coordinate strain_coordinate load_cell",
            "Controllers of other tools": "FMUController",
            "Joints and reeving": "socket swivel joint_stops reeve sliding_joint cable_track end_stops",
            "Waves": "regular_wave stream_function_wave jonswap second_order_waves wave_number",
            "Bodies in water": "read_body_mesh",
            "Wind": "npd_wind api_wind npd_spectrum api_spectrum",
            "Vessels": "vessel Vessel VesselMotion RAO read_rao floater Floater Radiation",
            "Files of radiation programs": "read_wamit read_capytaine Hydrodynamics",
        },
    ),
    "contact": (
        "Add contact",
        "Contact between cables and circles, surfaces and each other, and between bodies.",
        {
            "Circles": "add_contact add_contact_with_many",
            "Surfaces": "add_surface_contact lay_line LaidLine add_bed add_bed_grid read_bed_grid BedGrid add_drum "
            "add_v_groove SurfaceReport surface_report format_surface_reports",
            "Cables with each other": "add_cable_contact",
            "Chains": "sprocket_profile",
            "Bodies": "facing plane_strain_modulus dissipation_from_restitution restitution_from_dissipation enable "
            "disable is_enabled Contacts eval_contacts SurfaceForces eval_surface_forces eval_body_forces",
        },
    ),
    "solve": (
        "Solve",
        "Statics, dynamics and modes, restart, and errors.",
        {
            "Solvers": "Static Dynamic Explicit Passes StepControl State StepHook IdleSteps",
            "Modes": "Modes ModesResult Campbell campbell find_critical_speed",
            "Derivatives": "evaluate evaluate_frequencies evaluate_modes ModeDerivatives evaluate_motion "
            "MotionDerivatives evaluate_objective MotionGradient evaluate_mean MeanGradient end_value time_integral "
            "smooth_maximum",
            "Restart": "Checkpoint",
            "FMUs": "FMUInterface",
            "Verdicts and errors": "Verdict DoubtfulError NotConverged WindlassError ModelError ModelWarning "
            "OptionError OutputError",
            "Matrices": "assemble_derivative assemble_mass assemble_matrix assemble_vector create_matrix create_vector "
            "NonlinearProblem",
        },
    ),
    "results": (
        "Get results",
        "Outputs, sensors, files, pictures, reports and energy.",
        {
            "Values": "eval_output Sensor Sensors Means EnergyLedger format_comparison",
            "Files and pictures": "Recorder show create_output_folder write_summary read_sweep",
            "Report": "add_to_report ReportSection ReportTable ReportCurves citations",
            "Command line": "option parameter arguments help_requested set_options is_first_process",
        },
    ),
    "laws": (
        "Write your own law",
        "Names of `windlass.framework`, which files of new laws import.",
        {
            "Schema": "Component column derived function ref refs Output Drawing Painting",
            "Families of markers": "POSITION COORDINATE RIGID CURVED",
            "Registration": "register register_pair MarkerFamily register_family register_format register_functions",
            "Kernels": "kernel call Fields Evaluation Term Coupling",
            "Systems": "System ConstraintSystem LocalRows EntityTable Account",
            "History": "PostNewton create_history check_history note_outcome",
            "Output formats": "FieldSeries SeriesFrame FrameFiles",
        },
    ),
}
"""For each page: title, text, and the names of each section, separated by spaces."""
