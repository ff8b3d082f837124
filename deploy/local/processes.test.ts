import { expect, test } from 'vitest';
import { parseConfig } from './config.ts';
import { processes } from './processes.ts';

const urls = {
  publicApp: 'postgres://app@127.0.0.1/public',
  publicOwner: 'postgres://owner@127.0.0.1/public',
  publicRead: 'postgres://read@127.0.0.1/public',
  vaultApp: 'postgres://app@127.0.0.1/vault',
  vaultOwner: 'postgres://owner@127.0.0.1/vault',
};
const plan = processes(parseConfig('/repo', { PATH: '/bin', DATABASE_URL: '', SECRET: 'x' }), urls);
const values = (name: keyof typeof plan) => Object.values(plan[name].env).join('\n');

test('courier and runner get no database', () => {
  expect(values('courier')).not.toContain('postgres:');
  expect(values('runner')).not.toContain('postgres:');
});

test('the gateway never learns of the vault, and the grader never of the public database', () => {
  expect(values('gateway')).not.toContain('/vault');
  expect(values('grader')).not.toContain('/public');
});

test('the grader takes weakly isolated runners only over the embedded databases', () => {
  const given = parseConfig('/repo', { DATABASE_URL: urls.publicApp, VAULT_DATABASE_URL: urls.vaultApp });
  expect(plan.grader.env.VTB_VAULT_EMBEDDED).toBe('1');
  expect(processes(given, urls).grader.env.VTB_VAULT_EMBEDDED).toBe('0');
});

test('nothing of our own environment passes that is not named', () => {
  expect(Object.values(plan).flatMap(({ env }) => Object.keys(env))).not.toContain('SECRET');
});

test('one of the two database URLs alone is refused', () => {
  expect(() => parseConfig('/repo', { DATABASE_URL: urls.publicApp })).toThrow(/go together/);
});

test('every problem of the environment is said at once', () => {
  expect(() => parseConfig('/repo', { PORT: '0', VTB_DEMO: 'maybe' })).toThrow(/PORT.*\n.*VTB_DEMO/);
});

test("with the operator's databases there is no example team, and missing owner roles are warned about", () => {
  const config = parseConfig('/repo', { DATABASE_URL: urls.publicApp, VAULT_DATABASE_URL: urls.vaultApp });
  expect(config.demo).toBe('off');
  expect(config.warnings).toHaveLength(3);
});
