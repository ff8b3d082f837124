import { createHash } from 'node:crypto';
import type { Track } from '@vtb/protocol/season/track.ts';
import { type BaseFacts, baseFactsSchema, type GgufBaseFacts } from '@vtb/protocol/system/base.ts';
import type { ManifestFile } from '@vtb/protocol/system/manifest.ts';
import { readManifest } from '@vtb/protocol/system/readManifest.ts';
import { ReplayFailed } from '../replay/replayFailed.ts';

/** Bytes by digest, as the desk gives them. */
export type FetchBytes = (sha256: string) => Promise<Uint8Array>;

/** What the engine's file is made of: the team's weights file as chunks, and the base. */
export type FetchedSystem = {
  readonly weights: ManifestFile;
  readonly base: GgufBaseFacts;
  readonly baseHeader: Uint8Array;
};

/**
 * Reads a system's manifest and its track's base, each byte checked against its digest.
 *
 * throws  ReplayFailed: ours for bytes that aren't those named or a base that isn't one GGUF file; the system's when
 *         it has not exactly one GGUF file as weights (inspection refuses that, so this is the second line).
 */
export async function fetchSystem(
  input: { readonly system: string; readonly track: Track },
  deps: { readonly chunk: FetchBytes; readonly asset: FetchBytes },
): Promise<FetchedSystem> {
  const { base } = input.track;
  if (base.kind !== 'gguf') throw ReplayFailed.ours('runner', `this runner can't serve a ${base.kind} base`);
  const [manifest, facts, header] = await Promise.all([
    checked(input.system, deps.chunk),
    checked(base.facts.sha256, deps.asset),
    checked(base.header.sha256, deps.asset),
  ]);
  const reading = readManifest(parseJson(manifest));
  if (!reading.ok) throw ReplayFailed.ours('runner', 'the sealed manifest is not a manifest');
  const weights = reading.manifest.files.filter((file) => file.role === 'weights');
  const [file] = weights;
  if (file === undefined || weights.length > 1 || !file.path.endsWith('.gguf')) {
    throw ReplayFailed.system('weightsUnloadable', 'the system has not exactly one GGUF file as weights');
  }
  return { weights: file, base: ggufFacts(facts), baseHeader: header };
}

/** Bytes that have the digest they were asked for by. throws ReplayFailed (ours) for others. */
export async function checked(sha256: string, fetchBytes: FetchBytes): Promise<Uint8Array> {
  const bytes = await fetchBytes(sha256);
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256)
    throw ReplayFailed.ours('runner', `the desk sent other bytes than ${sha256} (${found})`);
  return bytes;
}

function ggufFacts(bytes: Uint8Array): GgufBaseFacts {
  const parsed = baseFactsSchema.safeParse(parseJson(bytes));
  const facts: BaseFacts | undefined = parsed.data;
  if (facts?.format !== 'gguf')
    throw ReplayFailed.ours('runner', "the track's base facts are not those of a GGUF");
  return facts;
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return null;
  }
}
