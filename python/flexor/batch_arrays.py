"""The arrays of a batch, each an attribute of the simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flexor.array import Array
from flexor.errors import FlexorError
from flexor.fields import FIELDS


class BatchArrays:
    """Every name of `flexor.FIELDS` as an attribute. Base of `Simulation`, which has `_core`, `_model`,
    `device` and `precision`."""

    if TYPE_CHECKING:  # made from FIELDS below; a test holds the two together
        time: Array
        step_count: Array
        status: Array
        qpos: Array
        qpos_compensation: Array
        qvel: Array
        activation: Array
        reference_length: Array
        row_impulse: Array
        drive_force: Array
        drive_target_length: Array
        drive_target_velocity: Array
        drive_position_gain: Array
        drive_velocity_gain: Array
        joint_force: Array
        joint_target_position: Array
        joint_target_velocity: Array
        body_wrench: Array
        tendon_enabled: Array
        tendon_length: Array
        tendon_velocity: Array
        tendon_jacobian: Array
        tendon_curvature: Array
        tendon_route_status: Array
        tendon_potential_energy: Array
        tendon_kinetic_energy: Array
        branch_length: Array
        body_position: Array
        body_quaternion: Array
        body_velocity: Array
        site_position: Array
        tendon_force: Array
        tendon_tension: Array
        tendon_passive_force: Array
        tendon_spring_force: Array
        tendon_damper_force: Array
        tendon_drive_force: Array
        tendon_armature_force: Array
        tendon_friction_force: Array
        tendon_limit_force: Array
        tendon_lower_force: Array
        tendon_upper_force: Array
        tendon_solved_velocity: Array
        tendon_length_end: Array
        branch_tension: Array
        joint_command_torque: Array
        joint_damping_torque: Array
        joint_spring_torque: Array
        joint_friction_torque: Array
        joint_limit_torque: Array
        solver_iterations: Array
        solver_status: Array
        solver_residual: Array
        valid_drive_force: Array
        valid_drive_target_length: Array
        valid_drive_target_velocity: Array
        valid_drive_position_gain: Array
        valid_drive_velocity_gain: Array
        valid_joint_force: Array
        valid_joint_target_position: Array
        valid_joint_target_velocity: Array
        valid_body_wrench: Array

    def __init__(self):
        self._storage = self._core.storage()
        self._arrays: dict[str, Array] = {}

    def _array(self, name: str) -> Array:
        array = self._arrays.get(name)
        if array is None:
            array = self._arrays[name] = self._make_array(name)
        return array

    def _make_array(self, name: str) -> Array:
        field, _, group, index, _, unit, meaning = FIELDS[name]
        address, dtype, shape, strides = self._core.array(field)
        if address == 0 and 0 not in shape:
            raise FlexorError(
                f"array {name} was not asked for: name it in the argument `outputs` of Simulation"
            )
        names = (name,) if index == "world" else self._core.component_names(field)
        return Array(
            self._storage,
            address,
            name=name,
            shape=shape,
            dtype=dtype,
            strides=strides,
            unit=unit,
            doc=meaning,
            names=names,
            device=self.device,
            is_state=group == "state",
            is_writable=group in ("state", "command"),
            after_set=self._forget_rounding() if name == "qpos" else None,
        )

    def _forget_rounding(self):
        """What `set` does after writing qpos: the rounding remainder belonged to the old values."""
        if self.precision != "float32":
            return None  # kept in float32 only
        remainder = self._array("qpos_compensation")
        return None if 0 in remainder.shape else lambda worlds: remainder.set(0, worlds)


def _field_property(name: str) -> property:
    group, unit, meaning = FIELDS[name].group, FIELDS[name].unit, FIELDS[name].meaning

    def get(self) -> Array:
        return self._array(name)

    def refuse(self, value):
        if group in ("state", "command"):
            raise AttributeError(f"{name} is an array: write sim.{name}.set(values)")
        raise AttributeError(f"{name} is a read-out: no .set; the simulation writes it")

    return property(get, refuse, doc=f"{meaning} [{unit}] ({group})")


for _name in FIELDS:
    setattr(BatchArrays, _name, _field_property(_name))
