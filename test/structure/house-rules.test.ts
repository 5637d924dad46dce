import assert from 'node:assert/strict'
import { basename } from 'node:path/posix'
import { test } from 'node:test'
import { allPaths, matchingLines, programFiles, readSource, typeScriptFiles } from './tree.ts'

const written = allPaths.filter((path) => /\.(ts|js|css|sql|yaml|yml|md|html|json)$/.test(path) || path === '.ci/run')
const generated = new Set([
  'openapi/partner-api.json',
  'clients/typescript/src/api-types.ts',
  'clients/typescript/src/operations.ts',
  'docs/errors.md',
  'package-lock.json',
])
const sources = written.filter((path) => !generated.has(path)).map(readSource)
const code = sources.filter(({ path }) => /\.(ts|js|css|sql)$/.test(path))

test('every file and folder has a specific name, in kebab case', () => {
  const vague = /^(utils?|helpers?|common|shared|misc|lib|types|index|constants|base)(\..+)?$/i
  const found = allPaths.filter((path) => path.split('/').some((part) => vague.test(part)))
  assert.deepEqual(found, [])
  const oddlySpelt = typeScriptFiles.filter(
    ({ path }) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)*\.ts$/.test(basename(path)),
  )
  assert.deepEqual(
    oddlySpelt.map(({ path }) => path),
    [],
  )
})

test('the environment is read by src/config/env.ts alone', () => {
  assert.deepEqual(
    matchingLines(programFiles, /process\.env/).map((place) => place.split(':')[0]),
    ['src/config/env.ts', 'src/config/env.ts', 'src/config/env.ts'],
  )
})

test('folders are created by src/kernel/make-folder.ts, because the recursive mkdir of Node never ends below /proc', () => {
  assert.deepEqual(matchingLines(programFiles, /mkdir(Sync)?\(.*recursive/), [])
})

test('modules have named exports only', () => {
  assert.deepEqual(matchingLines(typeScriptFiles, /^export default/), [])
  assert.deepEqual(matchingLines(typeScriptFiles, /^export \*/), [])
})

/** The words are split so that this file passes its own rules. */
const marks = ['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')

test('the code contains no markers of unfinished work, and no test is skipped', () => {
  assert.deepEqual(matchingLines(sources, new RegExp(`\\b(${marks})\\b`)), [])
  assert.deepEqual(matchingLines(typeScriptFiles, new RegExp(`\\b(it|test|describe)\\.(skip|on${''}ly|todo)\\b`)), [])
  assert.deepEqual(matchingLines(typeScriptFiles, /\{\s*(skip|todo):\s*true/), [])
})

test('compiler and linter errors are fixed and not suppressed', () => {
  // src/kernel/ids.test.ts expects type errors to prove that ids of different kinds cannot be mixed up.
  const excepted = ['test/structure/house-rules.test.ts', 'src/kernel/ids.test.ts']
  const judged = code.filter(({ path }) => !excepted.includes(path))
  assert.deepEqual(
    matchingLines(judged, /@ts-(ignore|nocheck|expect-error)|eslint-disable|biome-ignore (?!format)/),
    [],
  )
})

test('a caught error is never ignored', () => {
  const dropped = [...typeScriptFiles, ...sources.filter(({ path }) => path.endsWith('.js'))].filter(({ text }) =>
    /catch\s*(\([^)]*\))?\s*\{\s*\}/.test(text),
  )
  assert.deepEqual(
    dropped.map(({ path }) => path),
    [],
  )
})

test('files contain no path of the machine they were written on', () => {
  const homes = ['home', 'Users', 'root', 'work'].map((name) => `/${name}/`).join('|')
  assert.deepEqual(matchingLines(sources, new RegExp(`(^|[\\s'"\`(=:])(${homes})|\\.\\./sha${''}red\\b`)), [])
})

test('generated files contain no paths of this machine either', () => {
  const files = [...generated].map(readSource)
  assert.deepEqual(matchingLines(files, /(^|[\s'"`(=])\/(home|Users|root|tmp)\//), [])
})
