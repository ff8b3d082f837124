/**
 * Upper tail of the standard normal, P(Z > z), for z ≥ 0; relative error below 1e-12 down to 1e-300.
 *
 * Below 3 the Taylor series of the half integral, above it Laplace's continued fraction: the tail itself, never
 * 1 − Φ, which has no digits left at z = 8.
 * throws  RangeError below 0 or not a number.
 * Source: Abramowitz & Stegun 26.2.11 and 26.2.14.
 */
export function normalTail(z: number): number {
  if (!(z >= 0)) throw new RangeError(`z is ${z}; the upper tail is for z ≥ 0.`);
  return z < 3 ? 0.5 - density(z) * halfSeries(z) : density(z) * tailFraction(z);
}

/**
 * The z with P(Z > z) = tail, for tail in (0, ½]: the inverse of normalTail.
 *
 * By Newton on ln P, which is concave, so the steps close in on the root from one side.
 * throws  RangeError outside (0, ½].
 */
export function normalQuantile(tail: number): number {
  if (!(tail > 0 && tail <= 0.5)) throw new RangeError(`Tail is ${tail}; it must be in (0, ½].`);
  let z = Math.sqrt(-2 * Math.log(2 * tail));
  for (let step = 0; step < newtonStepsMax; step++) {
    const at = normalTail(z);
    const next = Math.max(0, z + (Math.log(at / tail) * at) / density(z));
    if (Math.abs(next - z) <= 1e-15 * Math.max(1, z)) return next;
    z = next;
  }
  return z;
}

/** Density of the standard normal. */
export function density(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
}

/** Quadratic from a start within 1 of the root: six steps reach the last digit, the rest is margin. */
const newtonStepsMax = 40;

/** Σ z^(2i+1) / (1·3·5…(2i+1)) */
function halfSeries(z: number): number {
  let [term, sum] = [z, z];
  for (let i = 1; term > sum * 1e-18; i++) {
    term *= (z * z) / (2 * i + 1);
    sum += term;
  }
  return sum;
}

/** 1/(z + 1/(z + 2/(z + 3/(z + …)))), from the inside out; 300 levels are exact to a double from z = 3 on. */
function tailFraction(z: number): number {
  let inner = z;
  for (let level = 300; level >= 1; level--) inner = z + level / inner;
  return 1 / inner;
}
