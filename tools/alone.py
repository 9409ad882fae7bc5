"""Locks a file, then runs a command such as npm ci in its own place: alone.py <file> <command>.

In Python, because it runs before the packages are installed, and Node.js has no locks that the kernel releases.
"""

import fcntl
import os
import sys

_, path, *command = sys.argv
lock = os.open(path, os.O_CREAT | os.O_WRONLY)
fcntl.flock(lock, fcntl.LOCK_EX)
os.set_inheritable(lock, True)  # held until the command ends
os.execvp(command[0], command)
