/** The first instant of the season's release grid after a moment: results become visible only on the grid. */
export function nextRelease(at: Date, gridSeconds: number): Date {
  const gridMs = gridSeconds * 1_000;
  return new Date((Math.floor(at.getTime() / gridMs) + 1) * gridMs);
}

/** The last instant of the grid that is not after a moment. */
export function lastRelease(at: Date, gridSeconds: number): Date {
  const gridMs = gridSeconds * 1_000;
  return new Date(Math.floor(at.getTime() / gridMs) * gridMs);
}
