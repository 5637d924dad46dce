import { constants } from 'node:fs'
import { chmod, copyFile, readdir, readlink, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../kernel/make-folder.ts'

/** Files needed only to build against PostgreSQL, not to run it. */
const buildOnly = /^(pgxs|pkgconfig|include)$|\.a$/

/**
 * Copies PostgreSQL's programs, libraries and share files into a new folder, readable by everyone and writable by the
 * owner, whatever the installation's umask was. Copies about 55 MB, or clones the files if the file system supports
 * that.
 */
export async function copyPrograms(from: string, to: string): Promise<void> {
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
