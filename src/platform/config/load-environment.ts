import { readFile } from 'node:fs/promises'
import { type Environment, readEnvironment, type SecretName, secretNames } from './env.ts'
import { ConfigurationError } from './problems.ts'

/**
 * The environment with every secret in place: a setting with `_FILE` after its name is replaced by the text of that
 * file. Throws ConfigurationError, which never quotes a file.
 */
export async function loadEnvironment(options: LoadingOptions = {}): Promise<Environment> {
  const { environment, problems } = await readSettings(options)
  if (problems.length > 0) throw new ConfigurationError(problems)
  return environment
}

interface LoadingOptions {
  /** The secrets that are needed. */
  names?: readonly SecretName[]
  source?: NodeJS.ProcessEnv
}

/** The same with the problems, in place of the error. A secret that cannot be read is missing. */
export async function readSettings({
  names = secretNames,
  source,
}: LoadingOptions): Promise<{ environment: Environment; problems: readonly string[] }> {
  const given = readEnvironment(source)
  const problems = conflicts(given)
  if (problems.length > 0) return { environment: given, problems }
  const environment = { ...given }
  const readings = names.map(async (name) => {
    const file = given[`${name}_FILE`]
    if (file === undefined) return
    const text = await readSecret(file)
    if ('problem' in text) problems.push(`${name}_FILE ${text.problem}: ${file}`)
    else environment[name] = text.value
  })
  await Promise.all(readings)
  return { environment, problems: problems.sort() }
}

type Outcome = { value: string } | { problem: string }

/** Each secret must come from one place, so that nobody replaces it in one and keeps using the other. */
function conflicts(environment: Environment): string[] {
  return secretNames
    .filter((name) => Object.hasOwn(environment, name) && Object.hasOwn(environment, `${name}_FILE`))
    .map((name) => `${name} and ${name}_FILE are set together: keep one of them`)
}

async function readSecret(file: string): Promise<Outcome> {
  try {
    const value = (await readFile(file, 'utf8')).trim()
    return value === '' ? { problem: 'names an empty file' } : { value }
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException
    return { problem: `names a file that cannot be read (${code})` }
  }
}
