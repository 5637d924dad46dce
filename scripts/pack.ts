// Builds the npm package: `npm run package` writes build/housebill-<version>.tgz and prints its path.
//
// Node strips no types below node_modules, so the package contains JavaScript, in the folders of the sources: everything
// else that the program reads is then where it is in a clone. The packages that it needs come inside it, as
// package-lock.json has them. Only those for one platform, which are optional, come from the registry. A shrinkwrap
// instead would make npm install them for every platform.
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { fontWeights } from '../src/contracts/renderer/font-library.ts'
import { packClient } from '../src/web/downloads/client-archive.ts'

interface Manifest {
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
  [other: string]: unknown
}

interface Locked {
  version: string
  dev?: boolean
  optional?: boolean
  devOptional?: boolean
  link?: boolean
}

/** What the package contains as it is here. The browser's modules are stripped of types when they are served. */
const copied = [
  ...['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md'],
  ...['bin', 'contributing', 'docs', 'migrations', 'reference-data'],
  ...['deploy/housebill.env', 'deploy/ha', 'deploy/monitoring', 'deploy/nginx', 'deploy/systemd'],
]

process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const folder = 'build/package'
rmSync(folder, { recursive: true, force: true })
execFileSync(join('node_modules', '.bin', 'tsc'), ['--project', 'tsconfig.build.json'], { stdio: 'inherit' })
for (const path of copied) copy(path)
for (const path of globSync('src/**/*')) if (statSync(path).isFile() && !path.endsWith('.ts')) copy(path)
for (const path of globSync(`${folder}/{bin,src}/**/*.js`)) finish(path)

mkdirSync(join(folder, 'downloads'))
writeFileSync(join(folder, 'downloads/housebill-client.tgz'), packClient())

const { packages } = readJson<{ packages: Record<string, Locked> }>('package-lock.json')
for (const [path, { dev, optional, devOptional, link }] of Object.entries(packages))
  if (path.startsWith('node_modules/') && !(dev || optional || devOptional || link)) copy(path)

const { dependencies, optionalDependencies, ...manifest } = readJson<Manifest>('package.json')
const packageJson = {
  ...Object.fromEntries(
    ['name', 'version', 'description', 'license', 'type', 'engines', 'bin'].map((field) => [field, manifest[field]]),
  ),
  dependencies: locked(dependencies),
  bundleDependencies: Object.keys(dependencies),
  optionalDependencies: locked(optionalDependencies),
}
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(packageJson, undefined, 2)}\n`)
const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', '..'], { cwd: folder, encoding: 'utf8' })
console.log(join('build', packed.trim()))

/** Copies a file or folder, without fonts that no document uses, and without certificates that somebody put there. */
function copy(path: string): void {
  const used = new RegExp(`-(${Object.values(fontWeights).join('|')})-normal\\.woff2?$`)
  const isUnused = (source: string) =>
    /^deploy\/.*\.pem$/.test(source) ||
    (/^node_modules\/@fontsource\/.*\.(s?css|woff2?)$/.test(source) && !used.test(source))
  cpSync(path, join(folder, path), { recursive: true, filter: (source) => !isUnused(source) })
}

/** Replaces what the compiler leaves: `'./file.ts'` as the program of a thread, and in bin/; and the command of a clone. */
function finish(path: string): void {
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replaceAll(/'(\.\.?\/[\w./-]+)\.ts'/g, "'$1.js'").replaceAll('npx housebill', 'housebill'))
}

function locked(dependencies: Record<string, string>): Record<string, string | undefined> {
  return Object.fromEntries(Object.keys(dependencies).map((each) => [each, packages[`node_modules/${each}`]?.version]))
}

function readJson<Shape>(path: string): Shape {
  return JSON.parse(readFileSync(path, 'utf8')) as Shape
}
