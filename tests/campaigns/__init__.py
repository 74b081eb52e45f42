"""Campaigns: files against kills, full disks and damage, machine code that is damaged, impacts that steps miss."""
