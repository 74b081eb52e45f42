"""Names of the fields of Exudyn's items, by type of item. Graphics, ``name`` and the field with the type are omitted.

Fields with names in brackets may be missing. An item with other missing fields, or with unknown fields, is an item of
another version of Exudyn. The function `find_faults` reports these fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

VERSION = "1.13.6"
"""The version of Exudyn with these fields."""

NODES = {
    "1D": "referenceCoordinates initialCoordinates initialVelocities",
    "GenericData": "numberOfDataCoordinates initialCoordinates",
    "GenericODE1": "referenceCoordinates numberOfODE1Coordinates initialCoordinates",
    "GenericODE2": "referenceCoordinates numberOfODE2Coordinates initialCoordinates initialCoordinates_t",
    "Point": "referenceCoordinates initialCoordinates initialVelocities",
    "Point2D": "referenceCoordinates initialCoordinates initialVelocities",
    "Point2DSlope1": "referenceCoordinates initialCoordinates initialVelocities",
    "PointGround": "referenceCoordinates",
    "PointSlope1": "referenceCoordinates initialCoordinates initialVelocities",
    "PointSlope23": "referenceCoordinates initialCoordinates initialVelocities",
    "RigidBody2D": "referenceCoordinates initialCoordinates initialVelocities",
    "RigidBodyEP": "referenceCoordinates addConstraintEquation initialCoordinates initialVelocities",
    "RigidBodyRxyz": "referenceCoordinates initialCoordinates initialVelocities",
}
OBJECTS = {
    "ALEANCFCable2D": (
        "length massPerLength movingMassFactor bendingStiffness axialStiffness bendingDamping axialDamping "
        "referenceAxialStrain referenceCurvature useCouplingTerms addALEvariation nodeNumbers "
        "useReducedOrderIntegration strainIsRelativeToReference"
    ),
    "ANCFCable": (
        "length massPerLength bendingStiffness axialStiffness bendingDamping axialDamping referenceAxialStrain "
        "strainIsRelativeToReference nodeNumbers useReducedOrderIntegration"
    ),
    "ANCFCable2D": (
        "length massPerLength bendingStiffness axialStiffness bendingDamping axialDamping referenceAxialStrain "
        "referenceCurvature strainIsRelativeToReference nodeNumbers useReducedOrderIntegration "
        "axialForceUserFunction bendingMomentUserFunction"
    ),
    "BeamGeometricallyExact2D": (
        "length massPerLength crossSectionInertia bendingStiffness axialStiffness shearStiffness bendingDamping "
        "axialDamping shearDamping referenceCurvature includeReferenceRotations nodeNumbers"
    ),
    "BeamGeometricallyExact3D": "length nodeNumbers sectionData",
    "ConnectorCartesianSpringDamper": "markerNumbers stiffness damping offset springForceUserFunction activeConnector",
    "ConnectorCoordinate": (
        "markerNumbers offset factor1 velocityLevel offsetUserFunction offsetUserFunction_t activeConnector"
    ),
    "ConnectorCoordinateSpringDamper": (
        "markerNumbers stiffness damping offset activeConnector springForceUserFunction"
    ),
    "ConnectorCoordinateSpringDamperExt": (
        "markerNumbers nodeNumber stiffness damping offset velocityOffset factor0 factor1 dynamicFrictionForce "
        "staticFrictionOffsetForce stickingStiffness stickingDamping exponentialDecayStatic viscousFrictionFactor "
        "frictionProportionalZone limitStopsUpper limitStopsLower limitStopsStiffness limitStopsDamping "
        "useLimitStops activeConnector springForceUserFunction"
    ),
    "ConnectorCoordinateVector": (
        "markerNumbers scalingMarker0 scalingMarker1 quadraticTermMarker0 quadraticTermMarker1 offset velocityLevel "
        "constraintUserFunction jacobianUserFunction activeConnector"
    ),
    "ConnectorDistance": "markerNumbers distance activeConnector",
    "ConnectorGravity": "markerNumbers gravitationalConstant mass0 mass1 minDistanceRegularization activeConnector",
    "ConnectorLinearSpringDamper": (
        "markerNumbers stiffness damping axisMarker0 offset velocityOffset force activeConnector "
        "springForceUserFunction"
    ),
    "ConnectorReevingSystemSprings": (
        "markerNumbers hasCoordinateMarkers coordinateFactors stiffnessPerLength dampingPerLength dampingTorsional "
        "dampingShear regularizationForce referenceLength sheavesAxes sheavesRadii activeConnector"
    ),
    "ConnectorRigidBodySpringDamper": (
        "markerNumbers nodeNumber stiffness damping rotationMarker0 rotationMarker1 offset useIntrinsicFormulation "
        "activeConnector springForceTorqueUserFunction postNewtonStepUserFunction"
    ),
    "ConnectorRollingDiscPenalty": (
        "markerNumbers nodeNumber discRadius discAxis planeNormal dryFrictionAngle contactStiffness contactDamping "
        "dryFriction dryFrictionProportionalZone viscousFriction rollingViscousFriction useLinearProportionalZone "
        "activeConnector"
    ),
    "ConnectorSpringDamper": (
        "markerNumbers referenceLength stiffness damping force velocityOffset activeConnector springForceUserFunction"
    ),
    "ConnectorTorsionalSpringDamper": (
        "markerNumbers nodeNumber stiffness damping rotationMarker0 rotationMarker1 offset velocityOffset torque "
        "activeConnector springTorqueUserFunction"
    ),
    "ContactCircleCable2D": (
        "markerNumbers nodeNumber numberOfContactSegments contactStiffness circleRadius offset activeConnector"
    ),
    "ContactCoordinate": (
        "markerNumbers nodeNumber contactStiffness contactDamping contactStiffnessExponent restitutionCoefficient "
        "minimumImpactVelocity impactModel offset activeConnector"
    ),
    "ContactCurveCircles": (
        "markerNumbers nodeNumber circlesRadii segmentsData polynomialData dynamicFriction frictionProportionalZone "
        "contactStiffness contactDamping contactModel activeConnector (gapPerSegment) (gapPerSegment_t) "
        "(segmentsForceLocalX) (segmentsForceLocalY)"
    ),
    "ContactFrictionCircleCable2D": (
        "markerNumbers nodeNumber numberOfContactSegments contactStiffness contactDamping frictionVelocityPenalty "
        "frictionStiffness frictionCoefficient circleRadius useSegmentNormals activeConnector"
    ),
    "ContactSphereSphere": (
        "markerNumbers nodeNumber spheresRadii isHollowSphere1 dynamicFriction frictionProportionalZone "
        "contactStiffness contactDamping contactStiffnessExponent constantPullOffForce contactPlasticityRatio "
        "adhesionCoefficient adhesionExponent restitutionCoefficient minimumImpactVelocity impactModel "
        "activeConnector"
    ),
    "GenericODE1": (
        "nodeNumbers systemMatrix rhsVector rhsUserFunction (coordinateIndexPerNode) (tempCoordinates) "
        "(tempCoordinates_t)"
    ),
    "GenericODE2": (
        "nodeNumbers massMatrix stiffnessMatrix dampingMatrix forceVector forceUserFunction massMatrixUserFunction "
        "jacobianUserFunction (coordinateIndexPerNode) (tempCoordinates) (tempCoordinates_t) (tempCoordinates_tt)"
    ),
    "Ground": "referencePosition referenceRotation (referenceHT)",
    "HydraulicActuatorSimple": (
        "markerNumbers nodeNumbers offsetLength strokeLength chamberCrossSection0 chamberCrossSection1 hoseVolume0 "
        "hoseVolume1 valveOpening0 valveOpening1 actuatorDamping oilBulkModulus cylinderBulkModulus hoseBulkModulus "
        "nominalFlow systemPressure tankPressure useChamberVolumeChange activeConnector"
    ),
    "JointALEMoving2D": (
        "markerNumbers slidingMarkerNumbers slidingMarkerOffsets slidingOffset nodeNumbers usePenaltyFormulation "
        "penaltyStiffness activeConnector"
    ),
    "JointGeneric": (
        "markerNumbers constrainedAxes rotationMarker0 rotationMarker1 activeConnector offsetUserFunctionParameters "
        "offsetUserFunction offsetUserFunction_t alternativeConstraints"
    ),
    "JointPrismatic2D": "markerNumbers axisMarker0 normalMarker1 constrainRotation activeConnector",
    "JointPrismaticX": "markerNumbers rotationMarker0 rotationMarker1 activeConnector",
    "JointRevolute2D": "markerNumbers activeConnector",
    "JointRevoluteZ": "markerNumbers rotationMarker0 rotationMarker1 activeConnector",
    "JointRollingDisc": "markerNumbers constrainedAxes activeConnector discRadius discAxis planeNormal",
    "JointSliding": (
        "markerNumbers slidingMarkerNumbers slidingMarkerOffsets nodeNumber constrainRotations "
        "constrainTranslations axialForce activeConnector"
    ),
    "JointSliding2D": (
        "markerNumbers slidingMarkerNumbers slidingMarkerOffsets nodeNumber useClassicalFormulation "
        "constrainRotation axialForce activeConnector"
    ),
    "JointSpherical": "markerNumbers constrainedAxes activeConnector",
    "Mass1D": "mass nodeNumber referencePosition referenceRotation",
    "MassPoint": "mass nodeNumber",
    "MassPoint2D": "mass nodeNumber",
    "ObjectANCFBeam": "length nodeNumbers sectionData crossSectionPenaltyFactor crossSectionDamping",
    "RigidBody": "mass inertia centerOfMass nodeNumber",
    "RigidBody2D": "mass inertia centerOfMass nodeNumber",
    "RotationalMass1D": "inertia nodeNumber referencePosition referenceRotation",
}
MARKERS = {
    "BodiesRelativeRotationCoordinate": "bodyNumbers nodeNumber localPosition0 localPosition1 axis0 offset",
    "BodiesRelativeTranslationCoordinate": "bodyNumbers localPosition0 localPosition1 axis0 offset",
    "BodyBeamShape": "bodyNumber",
    "BodyCable2DCoordinates": "bodyNumber",
    "BodyCable2DShape": "bodyNumber numberOfSegments verticalOffset",
    "BodyMass": "bodyNumber",
    "BodyPosition": "bodyNumber localPosition",
    "BodyRigid": "bodyNumber localPosition localHT",
    "KinematicTreeRigid": "objectNumber linkNumber localPosition localHT",
    "NodeCoordinate": "nodeNumber coordinate",
    "NodeCoordinates": "nodeNumber",
    "NodeODE1Coordinate": "nodeNumber coordinate",
    "NodePosition": "nodeNumber",
    "NodeRigid": "nodeNumber localHT",
    "NodeRotationCoordinate": "nodeNumber rotationCoordinate",
    "ObjectODE2Coordinates": "objectNumber",
    "SuperElementPosition": "bodyNumber meshNodeNumbers weightingFactors",
    "SuperElementRigid": (
        "bodyNumber offset localHT meshNodeNumbers weightingFactors useAlternativeApproach rotationsExponentialMap"
    ),
}
LOADS = {
    "Coordinate": "markerNumber load loadUserFunction",
    "ForceVector": "markerNumber loadVector bodyFixed loadVectorUserFunction",
    "MassProportional": "markerNumber loadVector loadVectorUserFunction",
    "TorqueVector": "markerNumber loadVector bodyFixed loadVectorUserFunction",
}
SENSORS = {
    "Body": "bodyNumber localPosition writeToFile fileName outputVariableType storeInternal",
    "KinematicTree": "objectNumber linkNumber localPosition writeToFile fileName outputVariableType storeInternal",
    "Load": "loadNumber writeToFile fileName storeInternal",
    "Marker": "markerNumber writeToFile fileName outputVariableType storeInternal",
    "Node": "nodeNumber writeToFile fileName outputVariableType storeInternal",
    "Object": "objectNumber writeToFile fileName outputVariableType storeInternal",
    "SuperElement": "bodyNumber meshNodeNumber writeToFile fileName outputVariableType storeInternal",
    "UserFunction": "sensorNumbers factors writeToFile fileName sensorUserFunction storeInternal",
}
"""Fields of nodes, objects, markers, loads and sensors, by type."""
GROUPS = {"nodes": NODES, "objects": OBJECTS, "markers": MARKERS, "loads": LOADS, "sensors": SENSORS}
KINDS = {"nodes": "node", "objects": "object", "markers": "marker", "loads": "load", "sensors": "sensor"}
MISNAMED = {
    "ContactSphereSphere": {"torusAxis": "ContactSphereTorus", "trianglePoints": "ContactSphereTriangle"},
    "BodiesRelativeTranslationCoordinate": {"nodeNumber": "BodiesRelativeRotationCoordinate"},
}
"""Types that Exudyn wrongly reports for items of other types. For each wrong type, the dictionary contains fields that
only the other items have, and the correct types of these items.
"""


def name_types(items: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a description in which wrongly reported types are corrected (see `MISNAMED`)."""

    def name(item: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        others = MISNAMED.get(str(item.get(key)), {})
        return next(({**item, key: kind} for field, kind in others.items() if field in item), item)

    return {
        **items,
        **{group: [name(item, f"{KINDS[group]}Type") for item in items[group]] for group in ("objects", "markers")},
    }


def find_faults(group: str, kind: str, item: Mapping[str, Any]) -> str:
    """Return a text with the missing and unknown fields of an item. The text is empty if no field is missing or
    unknown, or if the type ``kind`` is not listed.
    """
    if not kind:
        return f"lacks {KINDS[group]}Type; must be a type of Exudyn {VERSION}"
    if kind not in GROUPS[group]:
        return ""
    words = GROUPS[group][kind].split()
    known = {word.strip("()") for word in words}
    missing = [word for word in words if word not in item and not word.startswith("(")]
    unknown = [key for key in item if key not in known and key not in ("name", f"{KINDS[group]}Type")]
    parts = [f"lacks {', '.join(missing)}"] * bool(missing) + [f"has unknown {', '.join(unknown)}"] * bool(unknown)
    return f"{' and '.join(parts)}; fields must be those of Exudyn {VERSION}" if parts else ""
