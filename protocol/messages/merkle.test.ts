import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  append,
  consistencyHolds,
  consistencyProof,
  emptyFrontier,
  frontierRoot,
  inclusionHolds,
  inclusionProof,
  leafHash,
  treeRoot,
} from './merkle.ts';

const leavesOf = (size: number) => Array.from({ length: size }, (_, index) => leafHash(`leaf ${index}`));

describe('merkle log', () => {
  test('the hashes are those of RFC 6962 known answers', () => {
    expect(treeRoot([])).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(leafHash('')).toBe('6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d');
  });

  test('every leaf of every tree up to 40 proves itself, and no other position, size or root', () => {
    for (let size = 1; size <= 40; size++) {
      const leaves = leavesOf(size);
      const root = treeRoot(leaves);
      leaves.forEach((leaf, index) => {
        const proof = inclusionProof(leaves, index);
        expect(inclusionHolds(leaf, index, size, proof, root)).toBe(true);
        expect(inclusionHolds(leaf, index + 1, size, proof, root)).toBe(false);
        expect(inclusionHolds(leafHash('other'), index, size, proof, root)).toBe(false);
        expect(inclusionHolds(leaf, index, size, [...proof, root], root)).toBe(false);
        if (proof.length > 0) expect(inclusionHolds(leaf, index, size, proof.slice(1), root)).toBe(false);
      });
    }
  });

  test('every older tree is proven a prefix of every newer one up to 24, and a rewritten history is not', () => {
    for (let size = 1; size <= 24; size++) {
      const leaves = leavesOf(size);
      for (let old = 1; old <= size; old++) {
        const oldRoot = treeRoot(leaves.slice(0, old));
        const proof = consistencyProof(leaves, old);
        expect(consistencyHolds(old, oldRoot, size, treeRoot(leaves), proof)).toBe(true);
        const rewritten = treeRoot([leafHash('rewritten'), ...leaves.slice(1, old)]);
        expect(consistencyHolds(old, rewritten, size, treeRoot(leaves), proof)).toBe(false);
      }
    }
  });

  test('a frontier appended to one by one has the root of the whole tree', () => {
    let frontier = emptyFrontier;
    for (let size = 0; size <= 70; size++) {
      expect(frontierRoot(frontier)).toBe(treeRoot(leavesOf(size)));
      frontier = append(frontier, leafHash(`leaf ${size}`));
    }
  });

  test('malformed proofs are false, never an error', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer(),
        fc.array(fc.string(), { maxLength: 5 }),
        (index, size, proof) => {
          const root = treeRoot(leavesOf(3));
          expect(inclusionHolds(leafHash('x'), index, size, proof, root)).toBe(false);
        },
      ),
    );
  });
});
