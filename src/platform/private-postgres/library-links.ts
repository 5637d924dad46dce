import { lstat, readFile, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

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
export async function hasMissingLinks(folder: string): Promise<boolean> {
  const found = await Promise.all((await listLinks(folder)).map((link) => exists(link.target)))
  return found.includes(false)
}

/** Creates the missing links. */
export async function createLinks(folder: string): Promise<void> {
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
