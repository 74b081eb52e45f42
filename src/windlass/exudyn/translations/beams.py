"""Translation of shear-deformable beams. The elements of Exudyn and Windlass agree: elements of order 1 and 2 in 2D,
and elements of order 1 with rigid or deformable cross sections in 3D.

In Exudyn, strains are relative to a straight beam of the given length. If includeReferenceRotations is false, the cross
sections of the reference configuration are perpendicular to the axis, regardless of the angles of the nodes. In 3D,
Exudyn lumps the translational mass and the rotary inertia at the nodes. Windlass uses a consistent mass matrix for
translations, and lumps only the rotary inertia.

For deformable cross sections (ANCFBeam), the kinetic energy of a section per length in Exudyn is uᵀ C u/2, u = r_2,t +
r_3,t, C = diag(Θ_11/4, Θ_22, Θ_33), where Θ is the inertia of the section. The translation preserves this energy. This
energy is correct for a beam parallel to x that rotates about e_1. For beams in other directions, this energy depends on
the direction.
"""

from __future__ import annotations

import numpy as np

from windlass import elements as el
from windlass.elements.beam.slope_forces3d import COUNT, MANY, fill_point
from windlass.exudyn.registry import Building, Item, Refused, read_numbers, translates
from windlass.framework.model.table import Entity

STRAIGHT = 1e-9
"""If the deviation of a beam from a straight line, relative to the length of the beam, is at most this value [1], the
beam is treated as straight.
"""


def find_nodes(b: Building, item: Item, kind: str) -> list[Entity]:
    """Return the nodes of a beam: the end nodes followed, for order 2, by the middle node."""
    nodes = [b.node(number) for number in item["nodeNumbers"]]
    found = [node for node in nodes if node is not None and node.kind == kind]
    if len(found) < len(nodes) or len(nodes) not in (2, 3):
        raise Refused(f"nodeNumbers: must be two or three nodes that are {kind} in Windlass")
    if not float(item["length"]) > 0.0:
        raise Refused(f"length = {item['length']:g} m: must be > 0 m")
    return [found[0], found[-1], *found[1:-1]]


@translates("BeamGeometricallyExact2D", body=True)
def beam2d(b: Building, item: Item) -> Entity:
    """Add a 2D beam of two or three nodes."""
    nodes, length = find_nodes(b, item, "RigidNode2D"), float(item["length"])
    r = np.array([node.position for node in nodes])
    phi, chord = np.array([float(node.angle) for node in nodes]), r[1] - r[0]
    size = float(np.hypot(*chord))
    if len(nodes) == 3 and np.abs(r[2] - r[:2].mean(axis=0)).max() > STRAIGHT * size:
        raise Refused("nodeNumbers: the second of three nodes must be in the middle between the others")
    along, angles = np.arctan2(chord[1], chord[0]), np.zeros(4)
    if not item["includeReferenceRotations"]:
        angles[: len(nodes)] = along - phi
    elif np.abs(phi - phi.mean()).max() > STRAIGHT and len(nodes) == 3:
        raise Refused("includeReferenceRotations: three nodes must have equal angles")
    # strains of the reference configuration
    turned = along - phi[:2].mean() - angles[:2].mean()
    strain = 1.0 - np.cos(turned) * size / length, -np.sin(turned) * size / length, item["referenceCurvature"]
    refs = {f"node{k}": node for k, node in enumerate(nodes)}
    section = {
        name: [item[f"{part}{word}"] for part in ("axial", "shear", "bending")]
        for name, word in (("stiffness", "Stiffness"), ("damping", "Damping"))
    }
    own = "length", "massPerLength:mass_per_length", "crossSectionInertia:rotary_inertia"
    return b.add(el.Beam2D, item, *own, **refs, **section, node_angles=angles, reference_strain=strain)


@translates("BeamGeometricallyExact3D", body=True)
def beam3d(b: Building, item: Item) -> Entity:
    """Add a 3D beam of two nodes. If a node has neither a rigid body nor the constraint `UnitRotation3D`, add this
    constraint.
    """
    nodes, length, section = find_nodes(b, item, "RigidNode3D"), float(item["length"]), item["sectionData"]
    chord = nodes[1].position - nodes[0].position
    size, frames = float(np.linalg.norm(chord)), [el.rotation_matrix(node.euler_parameters) for node in nodes]
    apart = max(np.abs(A[:, 0] * size - chord).max() for A in frames)
    if len(nodes) != 2 or not size > 0.0 or apart > STRAIGHT * size:
        raise Refused("nodeNumbers: both nodes must have their x axes along the beam in the reference configuration")
    # strains of the reference configuration, relative to a straight beam without twist
    twist = np.arctan2(frames[0][:, 2] @ frames[1][:, 1], frames[0][:, 1] @ frames[1][:, 1])
    carried = {int(other["nodeNumber"]) for other in b.items["objects"] if other["objectType"] == "RigidBody"}
    constrained = b.world.table(el.UnitRotation3D).local("node").tolist()
    for number, node in zip(item["nodeNumbers"], nodes, strict=True):
        if int(number) not in carried and int(node.ids[0]) not in constrained:
            b.world.add(el.UnitRotation3D, node=node)
    return b.add(
        el.Beam3D, item, "length", node0=nodes[0], node1=nodes[1], stiffness=section["stiffnessMatrix"],
        damping=section["dampingMatrix"], mass_per_length=section["massPerLength"], rotary_inertia=section["inertia"],
        reference_strain=(1.0 - size / length, 0.0, 0.0, -twist / length, 0.0, 0.0),
    )  # fmt: skip


@translates("ObjectANCFBeam", body=True)
def slope_beam(b: Building, item: Item) -> Entity:
    """Add a 3D beam of two nodes with deformable cross sections."""
    nodes, length, section = find_nodes(b, item, "PointSectionSlopes3D"), float(item["length"]), item["sectionData"]
    if len(nodes) != 2:
        raise Refused("nodeNumbers: must be two nodes")
    stiffness, damping = (np.asarray(section[f"{name}Matrix"], np.float64) for name in ("stiffness", "damping"))
    C = np.diag(np.diag(section["inertia"]) * (0.25, 1.0, 1.0))
    size = np.array((stiffness[0, 0], stiffness[0, 0], stiffness[1, 1] + stiffness[2, 2]))
    # strains of the reference configuration, relative to a straight beam without twist
    ends = np.array([(node.position, node.slope2, node.slope3) for node in nodes])
    rates, z = (ends[1] - ends[0]) / length, np.zeros(6)
    y = np.concatenate((rates[:1], ends[:, 1:].mean(axis=0), rates[1:])).ravel()
    fill_point(y, np.zeros(MANY), np.zeros((MANY, COUNT)), np.zeros((6, MANY)), z, np.zeros((6, COUNT)))
    return b.add(
        el.SlopeBeam3D, item, "length", node0=nodes[0], node1=nodes[1], stiffness=stiffness, damping=damping,
        mass_per_length=section["massPerLength"], rotary_inertia=np.kron(np.ones((2, 2)), C),
        section_stiffness=size * read_numbers(item, "crossSectionPenaltyFactor", 3),
        section_damping=size * read_numbers(item, "crossSectionDamping", 3),
        reference_strain=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0) - z,
    )  # fmt: skip
