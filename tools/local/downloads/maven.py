"""Downloads from Maven Central with the package jgo, so that neither Maven nor Java is needed.

maven.py <folder> <pom>                 all jars that the dependencies of the pom need, into the folder
maven.py <folder> <coordinates> <file>  a file in the jar group:name:version
"""

import ssl
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copy
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import requests
from jgo.maven import POM, MavenContext, PythonResolver

session = requests.Session()
paths = ssl.get_default_verify_paths()
session.verify = paths.cafile or paths.capath or True  # the authorities of the machine, not those of a package
requests.get = session.get  # reuses connections, which takes a third of the time
folder, source, *files = sys.argv[1:]
with TemporaryDirectory() as repository:
    context = MavenContext(resolver=PythonResolver(), repo_cache=Path(repository))
    if files:
        group, name, version = source.split(":")
        jar = context.project(group, name).at_version(version).artifact().resolve()
        ZipFile(jar).extractall(folder, files)
    else:
        dependencies = context.pom_dependencies(POM(Path(source)))
        for dependency in dependencies:
            dependency.raw = True  # as in Maven: versions that a dependency manages apply only to its own dependencies
        needed = [one.artifact for some in context.resolver.resolve(dependencies) for one in some]
        with ThreadPoolExecutor(8) as pool:
            for jar in pool.map(lambda artifact: artifact.resolve(), needed):
                copy(jar, folder)
