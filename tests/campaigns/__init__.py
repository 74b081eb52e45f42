"""Campaigns: files under kills, full disks and damage, damaged machine code, impacts that steps miss."""
