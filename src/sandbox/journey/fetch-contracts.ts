import { access, constants, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { makeFolder } from '../../platform/kernel/make-folder.ts'
import type { StepRunner } from './step-runner.ts'

/** Where a tenant's contract documents are saved. */
export interface ContractFiles {
  html: string
  pdf: string
}

interface ContractOptions {
  customerId: string
  saveAs: (format: 'html' | 'pdf') => string
}

const contentTypes = { html: 'text/html', pdf: 'application/pdf' } as const

/** Gets both contract URLs, opens the documents and saves them. */
export async function fetchContracts(
  runner: StepRunner,
  { customerId, saveAs }: ContractOptions,
): Promise<ContractFiles> {
  for (const format of ['html', 'pdf'] as const) {
    const { contractUrl } = await runner.step(
      `Contract URL (${format.toUpperCase()})`,
      (api) => (format === 'html' ? api.getPciContractUrlHtml(customerId) : api.getPciContractUrlPdf(customerId)),
      { brief: ({ contractUrl: url, expiresAt }) => `${url.split('?', 1)[0]}, until ${expiresAt}` },
    )
    const file = saveAs(format)
    await runner.open({
      name: `Open the contract (${format.toUpperCase()})`,
      url: contractUrl,
      contentType: contentTypes[format],
      keep: (bytes) => save(file, bytes),
      brief: (bytes) => `${Math.ceil(bytes.length / 1024)} KiB, saved as ${file}`,
    })
  }
  return { html: saveAs('html'), pdf: saveAs('pdf') }
}

/**
 * Creates the folder. Throws CommandError if it cannot be written to, before anything is requested from the deployment.
 */
export async function prepareFolder(folder: string): Promise<void> {
  await orReject(folder, async () => {
    await makeFolder(folder)
    await access(folder, constants.W_OK)
  })
}

function save(file: string, bytes: Buffer): Promise<void> {
  return orReject(file, async () => {
    await makeFolder(dirname(file))
    await writeFile(file, bytes)
  })
}

async function orReject(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new CommandError('unusable_folder', `${path} cannot be written (${code}). Choose another folder with --out.`)
  }
}
