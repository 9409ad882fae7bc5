import { release } from 'node:os';

/** The machines for which all tools come ready to run, as Node.js calls them. */
const platforms = ['linux-x64', 'linux-arm64', 'darwin-arm64'] as const;
export type Platform = (typeof platforms)[number];

/** The oldest glibc that Envoy's wheels are linked with, 2.x. */
const oldestGlibc = 31;
/** The kernel's version of macOS 15. */
const oldestDarwin = 24;

interface Machine {
  platform: string;
  arch: string;
  /** Undefined where there is another C library, such as Alpine's. */
  glibc?: string;
  /** The kernel's. */
  release: string;
}

const thisMachine = (): Machine => {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return { platform: process.platform, arch: process.arch, glibc: header.glibcVersionRuntime, release: release() };
};

/** Which of the platforms this machine is. @throws Error that says what to do on another one */
export function platformOf(machine = thisMachine()): Platform {
  const { platform, arch } = machine;
  const found = platforms.find((one) => one === `${platform}-${arch}`);
  if (!found) throw new Error(`There are no tools for ${platform} on ${arch}: ${whereElse}`);
  const [major = 0, minor = 0] = (machine.glibc ?? '').split('.').map(Number);
  if (platform === 'linux' && !(major > 2 || (major === 2 && minor >= oldestGlibc))) {
    const has = machine.glibc ? `glibc ${machine.glibc}` : 'another C library than glibc';
    throw new Error(`There are no tools for Linux with ${has}: ${whereElse}`);
  }
  if (platform === 'darwin' && !(Number.parseInt(machine.release, 10) >= oldestDarwin)) {
    throw new Error(`There are no tools for a macOS before 15: ${whereElse}`);
  }
  return found;
}

const whereElse =
  'the local run works on Linux with glibc 2.31 or later (x64, arm64) and on macOS 15 or later (Apple silicon). ' +
  'Use a virtual machine, a container, on Windows WSL 2; or Kubernetes (docs/kubernetes.md).';
