"""Checks for tests of user-written laws and models."""

from windlass.framework.state.tangent_check import check_tangent as check_tangent

__all__ = ["check_tangent"]
