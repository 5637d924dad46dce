import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { breakingFacts } from './breaking.ts'
import { listBehaviourFacts } from './facts.ts'

const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8').trimEnd()
const released = read('./released.txt').split('\n')

test('a change breaks nobody, unless changes.txt lists it in a group that starts with "# Breaking"', async () => {
  const current = await listBehaviourFacts()
  const admitted = read('./changes.txt')
    .split(/\n(?=# )/)
    .filter((group) => group.startsWith('# Breaking'))
    .flatMap((group) => group.split('\n').map((line) => line.slice(2)))
  const unlisted = breakingFacts(released, current).filter((fact) => !admitted.includes(fact))
  assert.deepEqual(unlisted, [])
})

const place = 'api POST /partner-api/Quotes'
const release = [
  `${place} is createQuote, scope quotes:write`,
  `${place} request application/json .packages?[]: "electricity"|"gas" string`,
  `${place} request application/json .reference?: string`,
  `${place} request application/json: object`,
  `${place} 200 application/json .status: "draft"|"active" string`,
  `${place} 200 application/json .leadTenantId: string`,
  `${place} 200 application/json .leadTenantId: null`,
  `${place} 200 application/json: object`,
  'api POST quote.status.changed request application/json .type: "quote.status.changed" string',
  'problem.code: "not_found" string',
  'setting PORT',
]
const without = (text: string) => release.filter((fact) => !fact.includes(text))

const changes: [what: string, current: readonly string[], breaking: boolean][] = [
  ['an operation that is gone', without(' is createQuote'), true],
  ['a setting that is gone', without('setting'), true],
  ['a member of a request that is gone', without('.reference'), true],
  ['a member of a response that is gone', without('.status: "draft'), true],
  ['a member of a message that is gone', without('quote.status.changed request'), true],
  ['a member that a request now needs', [...release, `${place} request application/json .agent: string`], true],
  [
    'an optional member of a request that is now required',
    [...without('.reference'), `${place} request application/json .reference: string`],
    true,
  ],
  ['a value that a request no longer accepts', release.map((fact) => fact.replace('|"gas"', '')), true],
  ['a new value in a response', release.map((fact) => fact.replace('"active"', '"active"|"sold"')), true],
  [
    'a member of a response that can now be absent',
    [...without('.status: "draft'), `${place} 200 application/json .status?: "draft"|"active" string`],
    true,
  ],
  ['a member of a response that can now be null', [...release, `${place} 200 application/json .status: null`], true],
  [
    'a member of a response of another type',
    release.map((fact) => fact.replace('leadTenantId: string', 'leadTenantId: integer')),
    true,
  ],
  ['a new optional member of a request', [...release, `${place} request application/json .agent?: string`], false],
  ['a new member of a response', [...release, `${place} 200 application/json .agent: string`], false],
  ['a new value that a request accepts', release.map((fact) => fact.replace('"gas"', '"gas"|"water"')), false],
  ['a value that a response no longer has', release.map((fact) => fact.replace('|"active"', '')), false],
  ['a member of a response that is never null any more', without('leadTenantId: null'), false],
  ['a new error code', release.map((fact) => fact.replace('"not_found"', '"not_found"|"gone"')), false],
  ['a new operation', [...release, 'api GET /partner-api/New is getNew, scope quotes:read'], false],
]

for (const [what, current, breaking] of changes) {
  test(`${what} ${breaking ? 'breaks' : 'does not break'} clients of the last release`, () => {
    assert.equal(breakingFacts(release, current).length > 0, breaking)
  })
}
