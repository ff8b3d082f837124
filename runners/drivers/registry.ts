import type { Driver } from './driver.ts';
import { promptDriver } from './prompt.ts';

/** Every driver by the name a season's track uses; a new one is a file here and a line below. */
export const drivers: Readonly<Record<string, Driver>> = {
  [promptDriver.name]: promptDriver,
};

/** The driver of that name; throws Error listing the known ones for any other. */
export function driverNamed(name: string): Driver {
  const driver = Object.hasOwn(drivers, name) ? drivers[name] : undefined;
  if (driver === undefined) {
    throw new Error(`no driver is called ${JSON.stringify(name)}; known: ${Object.keys(drivers).join(', ')}`);
  }
  return driver;
}
