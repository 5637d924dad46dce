import { readFileSync } from 'node:fs'

/** One package in package-lock.json. */
export interface LockedPackage {
  /** The package's folder, e.g. `node_modules/ajv`. */
  path: string
  name: string
  version: string
  /** An SPDX expression; undefined if the package names no licence. */
  license: string | undefined
  integrity: string | undefined
  /** The URL it came from; absent if npm was told to use the configured registry. */
  resolved: string | undefined
  hasInstallScript: boolean
  /** Whether the package is for development only. */
  isDev: boolean
}

type Entry = Partial<Record<'version' | 'license' | 'integrity' | 'resolved', string>> &
  Partial<Record<'hasInstallScript' | 'dev' | 'link', boolean>>

/** The parts of package.json that the supply-chain checks read. */
export interface Manifest {
  scripts: Readonly<Record<string, string>>
  dependencies: Readonly<Record<string, string>>
  devDependencies: Readonly<Record<string, string>>
  optionalDependencies: Readonly<Record<string, string>>
  /** For each package with an install script, whether npm may run the script. */
  allowScripts: Readonly<Record<string, boolean>>
}

export const manifest = readJson('package.json') as Manifest

/** Every package that the lockfile installs on any platform, in the lockfile's order. The project's own folders are not packages. */
export const lockedPackages: readonly LockedPackage[] = Object.entries(
  (readJson('package-lock.json') as { packages: Record<string, Entry> }).packages,
)
  .filter(([path, { link }]) => path.includes('node_modules/') && link !== true)
  .map(([path, entry]) => ({
    path,
    name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version: entry.version ?? '',
    license: entry.license,
    integrity: entry.integrity,
    resolved: entry.resolved,
    hasInstallScript: entry.hasInstallScript ?? false,
    isDev: entry.dev ?? false,
  }))

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
}
