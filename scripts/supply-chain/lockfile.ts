import { readFileSync } from 'node:fs'

/** One package as package-lock.json has it. */
export interface LockedPackage {
  /** Its folder, e.g. `node_modules/ajv`. */
  path: string
  name: string
  version: string
  /** An SPDX expression; undefined where the package does not say. */
  license: string | undefined
  integrity: string | undefined
  /** Where it was fetched from; absent where npm was told to leave that to the configured registry. */
  resolved: string | undefined
  hasInstallScript: boolean
  /** Whether it is there to develop only. */
  isDev: boolean
  /** A folder of this machine in the place of a package. */
  isLink: boolean
}

type Entry = Partial<Record<'version' | 'license' | 'integrity' | 'resolved', string>> &
  Partial<Record<'hasInstallScript' | 'dev' | 'link', boolean>>

/** As much of package.json as supply-chain checks read. */
export interface Manifest {
  scripts: Readonly<Record<string, string>>
  dependencies: Readonly<Record<string, string>>
  devDependencies: Readonly<Record<string, string>>
  optionalDependencies: Readonly<Record<string, string>>
  /** Packages that have an install script: whether npm may run it. */
  allowScripts: Readonly<Record<string, boolean>>
  scarfSettings: { enabled: boolean }
}

export const manifest = readJson('package.json') as Manifest

/** Every package the lockfile installs on one platform or another, in its order. */
export const lockedPackages: readonly LockedPackage[] = Object.entries(
  (readJson('package-lock.json') as { packages: Record<string, Entry> }).packages,
)
  .filter(([path]) => path !== '')
  .map(([path, entry]) => ({
    path,
    name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version: entry.version ?? '',
    license: entry.license,
    integrity: entry.integrity,
    resolved: entry.resolved,
    hasInstallScript: entry.hasInstallScript ?? false,
    isDev: entry.dev ?? false,
    isLink: entry.link ?? false,
  }))

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
}
