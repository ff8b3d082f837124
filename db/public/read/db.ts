export type { Db } from '../connect.ts';
