import { readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Sha256 } from '@vtb/protocol/digest.ts';
import { checkSeason, type SeasonPath } from '@vtb/protocol/season/checkSeason.ts';
import type { Season } from '@vtb/protocol/season/definition.ts';
import type { PromptTask } from '@vtb/protocol/season/promptSplit.ts';
import { seasonDigest } from '@vtb/protocol/season/seasonDigest.ts';
import { readAssets, type SeasonAsset } from './assets.ts';
import { baseProblems } from './baseProblems.ts';
import { generatedSplitProblems } from './generatedSplits.ts';
import { type FileProblem, SeasonError } from './seasonError.ts';
import { readToml, type TomlDocument, TomlSyntaxError } from './tomlDocument.ts';

/** A season that may be used: its definition, and the bytes of every file it names. */
export interface LoadedSeason {
  readonly season: Season;
  /** SHA-256 of season.toml's bytes. */
  readonly digest: Sha256;
  readonly dir: string;
  /** By the path that the TOML names. */
  readonly assets: ReadonlyMap<string, SeasonAsset>;
  /** Tasks of the fixed prompt splits that are in the folder, by split digest. */
  readonly promptSplits: ReadonlyMap<Sha256, readonly PromptTask[]>;
}

/** A definition is written by hand; nothing near this size is one. */
const tomlBytesMax = 1 << 20;

/**
 * Reads and checks one season folder.
 *
 * dir      holds season.toml and the files it names; files are read once and kept.
 * throws   SeasonError with all problems of the TOML, or, when that holds, of its files.
 */
export async function loadSeason(dir: string): Promise<LoadedSeason> {
  const file = join(dir, 'season.toml');
  const bytes = await readTomlBytes(file);
  const document = readDocument(file, bytes);
  const at = (path: SeasonPath, message: string): FileProblem => ({
    file,
    ...document.locate(path),
    message: path.length === 0 ? message : `${pathText(path)}: ${message}`,
  });

  const checked = checkSeason(document.value);
  if (!checked.ok) throw ordered(checked.problems.map(({ path, message }) => at(path, message)));

  const { season } = checked;
  const folder = basename(resolve(dir));
  if (season.id !== folder) {
    throw ordered([at(['id'], `is "${season.id}" in a folder named "${folder}"; give both one name`)]);
  }
  const read = await readAssets(season, dir);
  const problems = [
    ...read.problems,
    ...generatedSplitProblems(season, read.assets),
    ...baseProblems(season, read.assets),
  ];
  if (problems.length > 0) {
    throw ordered(
      problems.map((problem) => ('file' in problem ? problem : at(problem.path, problem.message))),
    );
  }
  return {
    season,
    digest: seasonDigest(bytes),
    dir,
    assets: read.assets,
    promptSplits: read.promptSplits,
  };
}

/**
 * Reads the seasons with these ids, each from its folder of the same name.
 *
 * returns  the seasons in the order of the ids.
 * throws   SeasonError with the problems of all of them.
 */
export async function loadSeasons(rootDir: string, ids: readonly string[]): Promise<readonly LoadedSeason[]> {
  const seasons: LoadedSeason[] = [];
  const problems: FileProblem[] = [];
  for (const id of ids) {
    try {
      seasons.push(await loadSeason(join(rootDir, id)));
    } catch (error) {
      if (!(error instanceof SeasonError)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new SeasonError(problems);
  return seasons;
}

async function readTomlBytes(file: string): Promise<Uint8Array> {
  const problem = (message: string) => new SeasonError([{ file, line: 1, column: 1, message }]);
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw problem('is not there; a season is a folder with a season.toml');
  if (found.size > tomlBytesMax) throw problem(`has ${found.size} bytes; at most ${tomlBytesMax}`);
  return readFile(file);
}

function readDocument(file: string, bytes: Uint8Array): TomlDocument {
  try {
    return readToml(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof TomlSyntaxError) {
      throw new SeasonError([{ file, ...error.position, message: `is not TOML: ${error.message}` }]);
    }
    if (error instanceof TypeError) {
      throw new SeasonError([{ file, line: 1, column: 1, message: 'is not UTF-8' }]);
    }
    throw error;
  }
}

function ordered(problems: readonly FileProblem[]): SeasonError {
  return new SeasonError(
    [...problems].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column),
  );
}

function pathText(path: SeasonPath): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : index > 0 ? `.${key}` : key))
    .join('');
}
