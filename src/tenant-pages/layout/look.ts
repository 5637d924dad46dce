import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { OperatorFile } from '../../contracts/operator-file.ts'

/** The style sheet of the pages, with the operator's colours, and the address that it is served at. */
export interface Look {
  css: string
  cssPath: string
  logo: { bytes: Buffer; type: string; path: string } | undefined
}

const assets = '/my-bills/assets'
const theme = readFileSync(new URL('../assets/tenant.css', import.meta.url), 'utf8')

/** Builds the look once. */
export function createLook({ look }: Pick<OperatorFile, 'look'>): Look {
  const css = `${theme}${look === undefined ? '' : coloursOf(look)}`
  const logo = look?.logo === undefined ? undefined : logoOf(look.logo)
  return { css, cssPath: assetPath(css, 'css'), logo }
}

function coloursOf({ colour, colourInDark }: NonNullable<OperatorFile['look']>): string {
  const dark = `@media (prefers-color-scheme:dark){:root{--brand:${colourInDark};--good:${colourInDark}}}`
  return `:root{--brand:${colour};--good:${colour}}${dark}`
}

/** The operator's file has the logo as a data URL, so that it needs no second file. */
function logoOf(dataUrl: string): Look['logo'] {
  const [, type = '', data = ''] = /^data:(image\/(?:png|svg\+xml));base64,(.+)$/.exec(dataUrl) ?? []
  const bytes = Buffer.from(data, 'base64')
  return { bytes, type, path: assetPath(bytes, type === 'image/png' ? 'png' : 'svg') }
}

/** The address of a file. It contains a hash, so browsers can keep what they have. */
export function assetPath(content: string | Buffer, extension: string): string {
  return `${assets}/${createHash('sha256').update(content).digest('hex').slice(0, 16)}.${extension}`
}
