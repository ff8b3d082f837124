import { groupDigits } from './groupDigits.ts';
import { systemLimits } from './limits.ts';
import type { FileRole, ManifestFile } from './manifest.ts';
import { pathCollisions, pathFaults } from './portablePath.ts';
import { newProblemList, type ProblemList, type SystemProblem } from './problemList.ts';
import { quoteName } from './quoteName.ts';

/**
 * The rules of a manifest that look across its parts: portable paths without collisions, in order, each
 * with the role of its place; chunks that add up; counts and totals within bounds.
 *
 * files    of the right shape; any number, any order.
 * returns  every problem, in the order of the rules; empty when the files make a good manifest.
 */
export function manifestRules(files: readonly ManifestFile[]): readonly SystemProblem[] {
  const problems = newProblemList();
  for (const file of files) checkFile(file, problems);
  for (const { path, other } of pathCollisions(files.map((file) => file.path))) {
    const message = `${quoteName(path)} collides with ${quoteName(other)} where letter case or spelling forms are ignored`;
    problems.add('manifest.collision', path, message, 'Rename one of the two.');
  }
  checkOrder(files, problems);
  checkTotals(files, problems);
  return problems.all();
}

/** The role that a path's place gives, or null where a system has no such file. */
export function roleOfPath(path: string): FileRole | null {
  if (path === 'system.toml') return 'description';
  if (path === 'research.jsonl') return 'researchLog';
  if (path.startsWith('weights/')) return 'weights';
  if (path.startsWith('harness/')) return 'harness';
  return null;
}

const roleBytesMax: Readonly<Record<FileRole, number>> = {
  weights: systemLimits.fileBytesMax,
  harness: systemLimits.harnessBytesMax,
  description: systemLimits.descriptionBytesMax,
  researchLog: systemLimits.researchLogBytesMax,
};

function checkFile(file: ManifestFile, problems: ProblemList): void {
  const name = quoteName(file.path);
  for (const fault of pathFaults(file.path)) {
    problems.add('manifest.path', file.path, `${name} ${fault}`, 'Rename the file to a plain relative path.');
  }
  const role = roleOfPath(file.path);
  if (role === null) {
    const message = `${name} is not part of a system, which is system.toml, weights/, harness/ and research.jsonl`;
    problems.add('manifest.role', file.path, message, 'Move the file into one of them, or leave it out.');
  } else if (role !== file.role) {
    const message = `${name} has role ${file.role}; its place makes it ${role}`;
    problems.add('manifest.role', file.path, message, `Give it the role ${role}, or move the file.`);
  }
  if (file.size > roleBytesMax[file.role]) {
    const message = `${name} has ${groupDigits(file.size)} bytes; a ${file.role} file has at most ${groupDigits(roleBytesMax[file.role])}`;
    problems.add('manifest.limit', file.path, message, 'Make the file smaller.');
  }
  const covered = file.chunks.reduce((sum, chunk) => sum + chunk.size, 0);
  if (covered !== file.size) {
    const message = `${name} has ${groupDigits(file.size)} bytes, its chunks ${groupDigits(covered)}`;
    problems.add('manifest.chunks', file.path, message, 'List chunks that cover the file exactly.');
  }
}

function checkOrder(files: readonly ManifestFile[], problems: ProblemList): void {
  for (const [index, file] of files.entries()) {
    const before = files[index - 1];
    if (before === undefined || before.path < file.path) continue;
    const message = `${quoteName(file.path)} is listed after ${quoteName(before.path)}`;
    problems.add(
      'manifest.order',
      file.path,
      message,
      'List files once each, in ascending order of their paths.',
    );
  }
}

function checkTotals(files: readonly ManifestFile[], problems: ProblemList): void {
  const limit = (what: string, value: number, max: number, fix: string) => {
    if (value <= max) return;
    const message = `The system has ${groupDigits(value)} ${what}, more than ${groupDigits(max)}`;
    problems.add('manifest.limit', '', message, fix);
  };
  const sum = (count: (file: ManifestFile) => number) =>
    files.reduce((total, file) => total + count(file), 0);
  limit('files', files.length, systemLimits.fileCountMax, 'Leave files out or pack them into fewer.');
  limit(
    'bytes',
    sum((file) => file.size),
    systemLimits.systemBytesMax,
    'Use smaller weights.',
  );
  limit(
    'chunks',
    sum((file) => file.chunks.length),
    systemLimits.chunkCountMax,
    'Store weights as fewer tensors.',
  );
  const weights = sum((file) => (file.role === 'weights' ? 1 : 0));
  limit('weights files', weights, systemLimits.weightsFileCountMax, 'Save the weights in larger shards.');
  if (!files.some((file) => file.path === 'system.toml')) {
    problems.add(
      'system.description',
      'system.toml',
      'system.toml is missing',
      'Add it; `vtb init` writes one.',
    );
  }
}
