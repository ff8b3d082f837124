/**
 * What a test may go without even on a full set-up (root on Debian, or CI=true): things that neither npm nor
 * Debian's packages can provide. A skipped test's name says `skipped: needs X (enable with: …)`; X is looked up
 * here. Everything else that is skipped there is a failure.
 */
export const allowedSkips: Readonly<Record<string, string>> = {
  'the wordmath checkpoints as safetensors': 'the season carries them as GGUF alone',
  versitygw: 'an S3 server written in Go',
  tusd: 'an upload server written in Go',
  Harbor: 'needs Python 3.12 and packages from PyPI',
  'mini-SWE-agent': 'needs Python 3.12 and packages from PyPI',
  'an NVIDIA GPU': 'hardware',
  'a mount of its own': 'the container that we are in may forbid it',
  'network namespaces': 'the kernel, or the container that we are in, may forbid them',
  'a Docker engine': 'needs a kernel that lets one run; where it can, npm test starts it',
};
