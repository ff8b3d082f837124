import { type DesignComponent, designComponents, type ResearchLine } from './line.ts';

/** A design with everything that the log says of it; null where it says nothing. */
export interface Design {
  readonly id: string;
  /** Always a design that stands before it; null for a first one, or where the named one does not. */
  readonly parent: string | null;
  /** In the order data, trainer, harness. */
  readonly components: readonly DesignComponent[];
  readonly hypothesis: string | null;
  readonly submission: string | null;
  readonly decision: string | null;
  readonly evidence: string | null;
}

/**
 * The designs of a run in the order in which each was first logged.
 *
 * lines  in the order they were logged; of lines with one id, later ones complete and correct earlier ones.
 * Parents point backwards only, so that the designs are a forest whatever the log says.
 */
export function designs(lines: readonly ResearchLine[]): Design[] {
  const byId = new Map<string, Design>();
  const place = new Map<string, number>();
  for (const line of lines) {
    if (line.kind !== 'design') continue;
    const before = byId.get(line.id);
    if (before === undefined) place.set(line.id, place.size);
    byId.set(line.id, {
      id: line.id,
      parent: line.parent ?? before?.parent ?? null,
      hypothesis: line.hypothesis ?? before?.hypothesis ?? null,
      submission: line.submission ?? before?.submission ?? null,
      decision: line.decision ?? before?.decision ?? null,
      evidence: line.evidence ?? before?.evidence ?? null,
      components: designComponents.filter((component) => line.components.includes(component)),
    });
  }
  return [...byId.values()].map((design) => {
    const parentPlace = design.parent === null ? undefined : place.get(design.parent);
    const isBefore = parentPlace !== undefined && parentPlace < (place.get(design.id) ?? 0);
    return isBefore ? design : { ...design, parent: null };
  });
}

/** How many designs touched each component (one design may touch several). */
export function designsByComponent(list: readonly Design[]): Readonly<Record<DesignComponent, number>> {
  const count = (component: DesignComponent) =>
    list.filter(({ components }) => components.includes(component)).length;
  return { data: count('data'), trainer: count('trainer'), harness: count('harness') };
}
