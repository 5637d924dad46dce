import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { listBehaviourFacts } from './facts.ts'

const read = (name: string) =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')

/**
 * `released.txt` contains the facts of the last release and is replaced only at the next release. `changes.txt` lists what has changed
 * since:
 * one fact per line after `+ ` or `- `, each group under a line with the reason. `node test/behaviour/print.ts` prints today's facts.
 */
test('changes.txt lists, with reasons, every change since the last release that affects what partners and operators rely on', async () => {
  const current = new Set(await listBehaviourFacts())
  const released = new Set(read('./released.txt'))
  const differences = [
    ...[...released].filter((fact) => !current.has(fact)).map((fact) => `- ${fact}`),
    ...[...current].filter((fact) => !released.has(fact)).map((fact) => `+ ${fact}`),
  ]
  const listed = read('./changes.txt').filter((line) => /^[+-] /.test(line))
  assert.deepEqual(differences.sort(), listed.sort())
})

test('changes.txt gives the reason before each group of entries', () => {
  const [first = ''] = read('./changes.txt')
  assert.match(first, /^# .{20,}/)
})
