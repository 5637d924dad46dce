import { createHash } from 'node:crypto'
import { access, constants, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { makeFolder } from '../../platform/kernel/make-folder.ts'
import type { HttpResponse } from './exchange.ts'
import { readPdfText } from './pdf-text.ts'
import { pounds } from './pounds.ts'
import { ContractUrlReply } from './replies.ts'
import type { StepRunner } from './step-runner.ts'

/** Where a tenant's contract documents are saved. */
export interface ContractFiles {
  html: string
  pdf: string
}

interface ContractOptions {
  customerId: string
  /** The total that the documents must state. */
  totalCost: number
  saveAs: (format: 'html' | 'pdf') => string
}

/** Gets both contract URLs, opens and checks the documents, and saves them. */
export async function fetchContracts(runner: StepRunner, options: ContractOptions): Promise<ContractFiles> {
  for (const format of ['html', 'pdf'] as const) {
    const step = runner.step({
      name: `Contract URL (${format.toUpperCase()})`,
      reply: ContractUrlReply,
      brief: ({ contractUrl: url, expiresAt }) => `${url.split('?', 1)[0]}, until ${expiresAt}`,
    })
    const { contractUrl } = await (format === 'html'
      ? step.getPciContractUrlHtml(options.customerId)
      : step.getPciContractUrlPdf(options.customerId))
    const file = options.saveAs(format)
    await runner.open({
      name: `Open the contract (${format.toUpperCase()})`,
      url: contractUrl,
      check: (response) =>
        format === 'html' ? htmlMismatches(response, options.totalCost) : pdfMismatches(response, options.totalCost),
      keep: ({ bytes }) => save(file, bytes),
      brief: ({ bytes }) => `${Math.ceil(bytes.length / 1024)} KiB, saved as ${file}`,
    })
  }
  return { html: options.saveAs('html'), pdf: options.saveAs('pdf') }
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

async function orReject(place: string, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new CommandError('unusable_folder', `${place} cannot be written (${code}). Choose another folder with --out.`)
  }
}

/**
 * Checks a contract page: its content type, its doctype, the total that it states and its digest. Returns every
 * problem.
 */
function htmlMismatches(response: HttpResponse, totalCost: number): string[] {
  const text = response.bytes.toString('utf8')
  return [
    ...wrongType(response, 'text/html'),
    ...(/^\s*<!doctype html/i.test(text) ? [] : ['it does not start like an HTML document']),
    ...totalMissing(text, totalCost),
    ...wrongDigest(response),
  ]
}

/** Checks a contract PDF: its content type, the total in its extracted text and its digest. Returns every problem. */
function pdfMismatches(response: HttpResponse, totalCost: number): string[] {
  return [
    ...wrongType(response, 'application/pdf'),
    ...pdfTextMismatches(response, totalCost),
    ...wrongDigest(response),
  ]
}

function pdfTextMismatches({ bytes }: HttpResponse, totalCost: number): string[] {
  try {
    return totalMissing(readPdfText(bytes), totalCost)
  } catch (error) {
    return [`it cannot be read as a PDF: ${error instanceof Error ? error.message : 'unknown'}`]
  }
}

function wrongType({ contentType }: HttpResponse, expected: string): string[] {
  return contentType === expected ? [] : [`its Content-Type is ${contentType || 'missing'}, not ${expected}`]
}

function totalMissing(text: string, totalCost: number): string[] {
  const total = pounds(totalCost)
  return text.includes(total) ? [] : [`it does not contain the total, ${total}`]
}

/** Checks the digest (RFC 9530), which shows whether the document arrived unchanged. */
function wrongDigest({ headers, bytes }: HttpResponse): string[] {
  const sent = /sha-256=:([^:]+):/.exec(headers.get('repr-digest') ?? '')?.[1]
  if (sent === undefined) return []
  return createHash('sha256').update(bytes).digest('base64') === sent ? [] : ['it does not match its Repr-Digest']
}
