import { constants } from 'node:fs'
import {
  chmod,
  copyFile,
  lstat,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from '../kernel/make-folder.ts'
import { temporaryName } from './cluster.ts'
import type { Distribution } from './distribution.ts'
import { EmbeddedPostgresError, programFailure, useOwnServer } from './embedded-postgres-error.ts'
import { runProgram } from './run-program.ts'
import type { ServerUser } from './server-user.ts'

/** Files needed only to build against PostgreSQL, not to run it. */
const buildOnly = /^(pgxs|pkgconfig|include)$|\.a$/

/**
 * Copies PostgreSQL's programs, libraries and share files into a new folder, readable by everyone and writable by the
 * owner, whatever the installation's umask was. Copies about 55 MB, or clones the files if the file system supports
 * that.
 */
async function copyPrograms(from: string, to: string): Promise<void> {
  await makeFolder(to)
  await chmod(to, 0o755)
  const entries = (await readdir(from, { withFileTypes: true })).filter((entry) => !buildOnly.test(entry.name))
  await Promise.all(
    entries.map(async (entry) => {
      const source = join(from, entry.name)
      const target = join(to, entry.name)
      if (entry.isDirectory()) return copyPrograms(source, target)
      if (entry.isSymbolicLink()) return symlink(await readlink(source), target)
      await copyFile(source, target, constants.COPYFILE_FICLONE)
      await chmod(target, 0o755)
    }),
  )
}

interface UsableProgramsOptions {
  distribution: Distribution
  /** The user who runs the programs; undefined for this process's own user. */
  user: ServerUser | undefined
  /** The folder of the private PostgreSQL (`Home.folder`), in which a copy can be kept. */
  home: string
  log: (message: string) => void
}

/**
 * Finds a folder whose programs `user` can run: the installation or, if they cannot run there (a checkout under a
 * private home directory, a strict umask, an install without scripts), a copy next to the data. Never changes the
 * installation.
 */
export async function findUsablePrograms({ distribution, user, home, log }: UsableProgramsOptions): Promise<string> {
  const objection = await findObjection(distribution.folder, user)
  if (objection === undefined) return distribution.folder

  const copy = join(home, 'programs', distribution.version)
  if (!(await isFolder(copy))) {
    await copyInto(copy, distribution.folder, home)
    log(`Copied the PostgreSQL programs to ${copy}, because ${objection.reason}.`)
  }
  const copyObjection = await findObjection(copy, user)
  if (copyObjection === undefined) return copy
  await rm(copy, { recursive: true, force: true })
  throw programFailure(
    `The PostgreSQL programs cannot run where they are installed (${objection.reason}), nor from a copy in ${copy} (${copyObjection.reason})`,
    copyObjection.output,
  )
}

interface Objection {
  reason: string
  output: string
}

async function findObjection(folder: string, user: ServerUser | undefined): Promise<Objection | undefined> {
  const who = user === undefined ? 'this user' : `the user ${user.name}`
  if (await hasMissingLinks(folder)) return { reason: 'npm was not allowed to finish their installation', output: '' }
  const { status, rejection, output } = await runProgram(join(folder, 'bin', 'postgres'), ['--version'], user)
  if (rejection === 'EACCES') return { reason: `${who} has no permission to run the programs in ${folder}`, output }
  if (rejection === 'ENOENT') {
    throw new EmbeddedPostgresError(
      `This system cannot run the programs in ${folder}: they are missing, or the system has no glibc (Alpine). Reinstall, or ${useOwnServer}.`,
    )
  }
  if (status !== 0) return { reason: 'they do not run there', output }
  const files = ['share/postgresql/postgres.bki', 'lib/postgresql/plpgsql.so', 'bin/initdb'].map((file) =>
    join(folder, file),
  )
  const readable = await runProgram(
    '/bin/sh',
    ['-c', 'for file; do test -r "$file" || exit 1; done', 'sh', ...files],
    user,
  )
  return readable.status === 0 ? undefined : { reason: `${who} has no permission to read all of ${folder}`, output: '' }
}

async function copyInto(copy: string, from: string, home: string): Promise<void> {
  const programs = join(home, 'programs')
  const unfinished = temporaryName(home, 'programs')
  await makeFolder(programs)
  await chmod(programs, 0o755)
  await copyPrograms(await realpath(from), unfinished)
  await createLinks(unfinished)
  await rename(unfinished, copy).catch(async (error: NodeJS.ErrnoException) => {
    await rm(unfinished, { recursive: true, force: true })
    // If another process was faster, its copy is equivalent.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
  // Delete copies of earlier versions. No server runs from them, because a server is about to be started.
  for (const name of await readdir(programs)) {
    if (join(programs, name) !== copy) await rm(join(programs, name), { recursive: true, force: true })
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

interface Link {
  source: string
  target: string
}

/**
 * The symbolic links between library names, which an npm archive cannot contain. The package's install script creates
 * them; they are missing if npm did not run it (because of `--ignore-scripts`, or because npm 12 runs no script without
 * approval).
 */
async function listLinks(folder: string): Promise<Link[]> {
  // Paths in the list are relative to the package's root, the parent of `native`.
  const links = JSON.parse(await readFile(join(folder, 'pg-symlinks.json'), 'utf8')) as Link[]
  return links.map(({ source, target }) => ({ source, target: join(folder, target.replace(/^native\//, '')) }))
}

/** Whether any of the links is missing. */
async function hasMissingLinks(folder: string): Promise<boolean> {
  const found = await Promise.all((await listLinks(folder)).map((link) => exists(link.target)))
  return found.includes(false)
}

/** Creates the missing links. */
async function createLinks(folder: string): Promise<void> {
  for (const { source, target } of await listLinks(folder)) {
    if (!(await exists(target))) await symlink(join('.', basename(source)), join(dirname(target), basename(target)))
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}
