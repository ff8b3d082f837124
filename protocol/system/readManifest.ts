import type { z } from 'zod';
import { groupDigits } from './groupDigits.ts';
import { systemLimits } from './limits.ts';
import { type Manifest, type ManifestFile, manifestFileSchema, manifestShapeSchema } from './manifest.ts';
import { manifestRules } from './manifestRules.ts';
import { newProblemList, type SystemProblem } from './problemList.ts';

/** A manifest that is right, or everything that is wrong with it. */
export type ManifestReading =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly problems: readonly SystemProblem[] };

/**
 * Reads a manifest from parsed JSON and lists every problem at once: those of shape, and for the files
 * whose shape is right also those of the rules.
 *
 * value  anything; the caller has bounded its text to `manifestBytesMax`.
 */
export function readManifest(value: unknown): ManifestReading {
  const problems = newProblemList();
  const given = fileList(value);
  if (given.length > systemLimits.fileCountMax) {
    const message = `files has ${groupDigits(given.length)} entries, more than ${groupDigits(systemLimits.fileCountMax)}`;
    problems.add('manifest.limit', '/files', message, 'Leave files out or pack them into fewer.');
    return { ok: false, problems: problems.all() };
  }
  const shape = manifestShapeSchema.safeParse(value);
  if (!shape.success) {
    for (const issue of shape.error.issues) {
      const at = `/${issue.path.map((part) => String(part).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
      problems.add('manifest.shape', at, shapeMessage(issue), 'Let `vtb` write the manifest.');
    }
  }
  problems.addAll(manifestRules(shape.success ? shape.data.files : wellShaped(given)));
  const found = problems.all();
  return shape.success && found.length === 0
    ? { ok: true, manifest: shape.data }
    : { ok: false, problems: found };
}

function fileList(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null || !('files' in value)) return [];
  return Array.isArray(value.files) ? value.files : [];
}

function wellShaped(given: readonly unknown[]): ManifestFile[] {
  return given.flatMap((file) => manifestFileSchema.safeParse(file).data ?? []);
}

/** Zod's own wording, with foreign key names bounded. */
function shapeMessage(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'unrecognized_keys') return issue.message.slice(0, 300);
  return `has ${groupDigits(issue.keys.length)} unknown member(s), the first ${JSON.stringify(issue.keys[0]?.slice(0, 60))}`;
}
