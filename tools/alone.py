"""Becomes a command, such as npm ci, once no other process has the lock of a file: alone.py <file> <command>.

In Python, since it comes before the packages, and Node.js has no locks that the kernel releases.
"""

import fcntl
import os
import sys

_, path, *command = sys.argv
lock = os.open(path, os.O_CREAT | os.O_WRONLY)
fcntl.flock(lock, fcntl.LOCK_EX)
os.set_inheritable(lock, True)  # held until the command has ended
os.execvp(command[0], command)
