import assert from 'node:assert/strict'
import { basename, dirname } from 'node:path/posix'
import { test } from 'node:test'
import { allPaths, placesOf, program, readSource, typeScript } from './tree.ts'

const written = allPaths.filter((path) => /\.(ts|js|css|sql|yaml|yml|md|html|json)$/.test(path) || path === '.ci/run')
const generated = new Set([
  'migrations/schema.sql',
  'openapi/partner-api.json',
  'console/api/partner-api.ts',
  'docs/errors.md',
  'package-lock.json',
])
const sources = written.filter((path) => !generated.has(path)).map(readSource)
const code = sources.filter(({ path }) => /\.(ts|js|css|sql)$/.test(path))

test('a file, whatever it holds, is at most 300 lines long', () => {
  const long = code.filter(({ text }) => text.split('\n').length > 301)
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
  )
})

test('files, taken together, are short: half of them have at most 100 lines, nine of ten at most 200', () => {
  const lengths = program.map(({ text }) => text.split('\n').length).sort((one, other) => one - other)
  const at = (share: number) => lengths[Math.floor(lengths.length * share)] ?? 0
  assert.ok(at(0.5) <= 100, `median ${at(0.5)}`)
  assert.ok(at(0.9) <= 200, `ninth decile ${at(0.9)}`)
})

test('a folder, whatever it holds, has at most 20 files of the program, so that its names can be read at a glance', () => {
  const inProgram = typeScript.filter(
    ({ path }) =>
      /^(src|simulators|private-postgres|journey|console)\//.test(path) && !/\.(test|fixture)\.ts$/.test(path),
  )
  const byFolder = Map.groupBy(inProgram, ({ path }) => dirname(path))
  const full = [...byFolder].filter(([, files]) => files.length > 20).map(([folder]) => folder)
  assert.deepEqual(full, [])
})

test('a file or folder, however useful, is named for what it holds', () => {
  const vague = /^(utils?|helpers?|common|shared|misc|lib|types|index|constants|base)(\..+)?$/i
  const found = allPaths.filter((path) => path.split('/').some((part) => vague.test(part)))
  assert.deepEqual(found, [])
  const oddlySpelt = typeScript.filter(({ path }) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)*\.ts$/.test(basename(path)))
  assert.deepEqual(
    oddlySpelt.map(({ path }) => path),
    [],
  )
})

test('the environment, whoever wants to know it, is read by src/config/env.ts alone', () => {
  assert.deepEqual(
    placesOf(program, /process\.env/).map((place) => place.split(':')[0]),
    ['src/config/env.ts', 'src/config/env.ts'],
  )
})

test('modules, whatever they offer, export by name', () => {
  assert.deepEqual(placesOf(typeScript, /^export default/), [])
  assert.deepEqual(placesOf(typeScript, /^export \*/), [])
})

/** In pieces, so that this file passes its own rules. */
const marks = ['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')

test('work that is not finished, wherever it was left, is not marked but done', () => {
  assert.deepEqual(placesOf(sources, new RegExp(`\\b(${marks})\\b`)), [])
  assert.deepEqual(placesOf(typeScript, new RegExp(`\\b(it|test|describe)\\.(skip|on${''}ly|todo)\\b`)), [])
  assert.deepEqual(placesOf(typeScript, /\{\s*(skip|todo):\s*true/), [])
})

test('a check of the compiler or the linter, when it objects, is answered and not silenced', () => {
  // The second shows that ids of different kinds cannot be mixed up.
  const excepted = ['test/structure/house-rules.test.ts', 'src/kernel/ids.test.ts']
  const judged = code.filter(({ path }) => !excepted.includes(path))
  assert.deepEqual(placesOf(judged, /@ts-(ignore|nocheck|expect-error)|eslint-disable|biome-ignore (?!format)/), [])
})

test('an error, when it is caught, is never dropped without a word', () => {
  const dropped = [...typeScript, ...sources.filter(({ path }) => path.endsWith('.js'))].filter(({ text }) =>
    /catch\s*(\([^)]*\))?\s*\{\s*\}/.test(text),
  )
  assert.deepEqual(
    dropped.map(({ path }) => path),
    [],
  )
})

test('files, on whichever machine they were written, name no place of that machine', () => {
  const homes = ['home', 'Users', 'root', 'work'].map((name) => `/${name}/`).join('|')
  assert.deepEqual(placesOf(sources, new RegExp(`(^|[\\s'"\`(=:])(${homes})|\\.\\./sha${''}red\\b`)), [])
})

test('committed generated files, whatever they are made from, name no place of the machine either', () => {
  const files = [...generated].map(readSource)
  assert.deepEqual(placesOf(files, /(^|[\s'"`(=])\/(home|Users|root|tmp)\//), [])
})
