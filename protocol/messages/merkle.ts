/**
 * Theory of operation. The public log is a Merkle tree over leaf texts with RFC 9162's hashing: a leaf is
 * SHA-256(0x00 ‖ bytes), a node SHA-256(0x01 ‖ left ‖ right), and a tree of n leaves splits at the largest power of
 * two below n. An inclusion proof shows that a leaf is in a tree of a size; a consistency proof shows that an older
 * tree is a prefix of a newer one. Hashes are lower-case hex.
 * Source: RFC 9162, sections 2.1.1 to 2.1.4.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';

/** The hash of one leaf's text. */
export function leafHash(text: string): string {
  return bytesToHex(sha256(concatBytes(Uint8Array.of(0), utf8ToBytes(text))));
}

function nodeHash(left: string, right: string): string {
  return bytesToHex(sha256(concatBytes(Uint8Array.of(1), hexToBytes(left), hexToBytes(right))));
}

/** The root over leaf hashes; the empty tree's root is SHA-256 of nothing. */
export function treeRoot(leaves: readonly string[]): string {
  const [first] = leaves;
  if (first === undefined) return bytesToHex(sha256(new Uint8Array()));
  if (leaves.length === 1) return first;
  const split = splitOf(leaves.length);
  return nodeHash(treeRoot(leaves.slice(0, split)), treeRoot(leaves.slice(split)));
}

/**
 * The proof that leaf `index` is in the tree of all given leaves.
 *
 * throws  RangeError when the index is outside the tree.
 */
export function inclusionProof(leaves: readonly string[], index: number): string[] {
  if (!Number.isInteger(index) || index < 0 || index >= leaves.length)
    throw new RangeError(`leaf ${index} is not in a tree of ${leaves.length}`);
  if (leaves.length === 1) return [];
  const split = splitOf(leaves.length);
  return index < split
    ? [...inclusionProof(leaves.slice(0, split), index), treeRoot(leaves.slice(split))]
    : [...inclusionProof(leaves.slice(split), index - split), treeRoot(leaves.slice(0, split))];
}

/** Whether the proof leads from this leaf to this root. Any malformed proof is false, never an error. */
export function inclusionHolds(
  leaf: string,
  index: number,
  size: number,
  proof: readonly string[],
  root: string,
): boolean {
  if (!isIndex(index, size) || ![leaf, root, ...proof].every(isHash)) return false;
  let fn = index;
  let sn = size - 1;
  let hash = leaf;
  for (const sibling of proof) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      hash = nodeHash(sibling, hash);
      while (fn % 2 === 0 && fn !== 0) {
        fn = Math.floor(fn / 2);
        sn = Math.floor(sn / 2);
      }
    } else {
      hash = nodeHash(hash, sibling);
    }
    fn = Math.floor(fn / 2);
    sn = Math.floor(sn / 2);
  }
  return sn === 0 && hash === root;
}

/**
 * The proof that the tree of the first `oldSize` leaves is a prefix of the tree of all given leaves.
 *
 * throws  RangeError unless 1 ≤ oldSize ≤ the number of leaves.
 */
export function consistencyProof(leaves: readonly string[], oldSize: number): string[] {
  if (!Number.isInteger(oldSize) || oldSize < 1 || oldSize > leaves.length)
    throw new RangeError(`no tree of ${oldSize} in one of ${leaves.length}`);
  return subproof(leaves, oldSize, true);
}

function subproof(leaves: readonly string[], oldSize: number, whole: boolean): string[] {
  if (oldSize === leaves.length) return whole ? [] : [treeRoot(leaves)];
  const split = splitOf(leaves.length);
  return oldSize <= split
    ? [...subproof(leaves.slice(0, split), oldSize, whole), treeRoot(leaves.slice(split))]
    : [...subproof(leaves.slice(split), oldSize - split, false), treeRoot(leaves.slice(0, split))];
}

/** Whether the proof shows that the older root is a prefix of the newer. Malformed proofs are false. */
export function consistencyHolds(
  oldSize: number,
  oldRoot: string,
  newSize: number,
  newRoot: string,
  proof: readonly string[],
): boolean {
  if (!isIndex(oldSize - 1, newSize) || ![oldRoot, newRoot, ...proof].every(isHash)) return false;
  if (oldSize === newSize) return proof.length === 0 && oldRoot === newRoot;
  const path = Number.isInteger(Math.log2(oldSize)) ? [oldRoot, ...proof] : [...proof];
  const [first, ...rest] = path;
  if (first === undefined) return false;
  let fn = oldSize - 1;
  let sn = newSize - 1;
  while (fn % 2 === 1) {
    fn = Math.floor(fn / 2);
    sn = Math.floor(sn / 2);
  }
  let fr = first;
  let sr = first;
  for (const hash of rest) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      fr = nodeHash(hash, fr);
      sr = nodeHash(hash, sr);
      while (fn % 2 === 0 && fn !== 0) {
        fn = Math.floor(fn / 2);
        sn = Math.floor(sn / 2);
      }
    } else {
      sr = nodeHash(sr, hash);
    }
    fn = Math.floor(fn / 2);
    sn = Math.floor(sn / 2);
  }
  return sn === 0 && fr === oldRoot && sr === newRoot;
}

/**
 * The roots of a tree's complete subtrees, largest first: all that is needed to append and to know the root.
 * At most 53 hashes, so a signer can keep it beside what it signed.
 */
export interface Frontier {
  readonly size: number;
  readonly peaks: readonly string[];
}

export const emptyFrontier: Frontier = { size: 0, peaks: [] };

/** The frontier after one more leaf hash. */
export function append(frontier: Frontier, leaf: string): Frontier {
  const peaks = [...frontier.peaks];
  let hash = leaf;
  for (let size = frontier.size; size % 2 === 1; size = Math.floor(size / 2)) {
    const left = peaks.pop();
    if (left === undefined) throw new Error('a frontier has a peak for every 1 bit of its size');
    hash = nodeHash(left, hash);
  }
  return { size: frontier.size + 1, peaks: [...peaks, hash] };
}

/** The root of the tree that a frontier stands for. */
export function frontierRoot(frontier: Frontier): string {
  const peaks = [...frontier.peaks];
  let hash = peaks.pop();
  if (hash === undefined) return treeRoot([]);
  for (let left = peaks.pop(); left !== undefined; left = peaks.pop()) hash = nodeHash(left, hash);
  return hash;
}

function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

function isIndex(index: number, size: number): boolean {
  return Number.isSafeInteger(index) && Number.isSafeInteger(size) && index >= 0 && index < size;
}

function isHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}
