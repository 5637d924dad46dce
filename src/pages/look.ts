import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { serveCompressed } from './compressed-file.ts'

/** A file that pages load. Its address contains a hash, so browsers can keep what they have. */
export interface Asset {
  path: string
  contentType: string
  body: string | Buffer
}

/** How pages look: one style sheet, and the logo. The script copies and reloads, where pages use it. */
export interface Look {
  css: Asset
  script: Asset
  logo: Asset | undefined
}

/** The operator's colours for text on light and on dark paper, as `#rrggbb`, and their logo as a data URL. */
interface Theme {
  colour: string
  colourInDark: string
  logo?: string | undefined
}

const read = (name: string) => readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8')
const styles = `${read('tokens.css')}${read('pages.css')}`
const script = read('pages.js')

/** What makes a look: the operator's theme, and the styles and the script that only some pages need. */
interface LookParts {
  theme?: Theme | undefined
  moreCss?: string
  moreScript?: string
}

/** Builds a look once. */
export function createLook({ theme, moreCss = '', moreScript = '' }: LookParts = {}): Look {
  const css = `${styles}${theme === undefined ? '' : coloursOf(theme)}${moreCss}`
  const logo = theme?.logo === undefined ? undefined : logoOf(theme.logo)
  return { css: assetOf(css, 'css', 'text/css; charset=utf-8'), script: scriptOf(`${script}${moreScript}`), logo }
}

/** Serves the files of a look. */
export function serveLook(app: FastifyInstance, { css, script, logo }: Look): void {
  serveAssets(app, [css, script, ...(logo === undefined ? [] : [logo])])
}

/** Serves files that pages load. Several looks can share one. */
export function serveAssets(app: FastifyInstance, assets: readonly Asset[]): void {
  const others = assets.filter(({ path }) => !app.hasRoute({ method: 'GET', url: path }))
  for (const { path, contentType, body } of others)
    serveCompressed(app, path, { contentType, render: () => body, isImmutable: true })
}

/** A file at an address that contains its hash. */
export function assetOf(body: string | Buffer, extension: string, contentType: string): Asset {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16)
  return { path: `/assets/${hash}.${extension}`, contentType, body }
}

/** A script at an address that contains its hash. */
export function scriptOf(text: string): Asset {
  return assetOf(text, 'js', 'text/javascript; charset=utf-8')
}

/** Only where the reader's own colours, or those of paper, do not matter more. */
function coloursOf({ colour, colourInDark }: Theme): string {
  const rule = (media: string, rgb: string) => `@media ${media}{:root{--brand:${rgb};--good:${rgb}}}`
  const screen = 'screen and (forced-colors:none)'
  return `${rule(screen, colour)}${rule(`${screen} and (prefers-color-scheme:dark)`, colourInDark)}`
}

/** The operator's file has the logo as a data URL, so that it needs no second file. */
function logoOf(dataUrl: string): Asset {
  const [, type = '', data = ''] = /^data:(image\/(?:png|svg\+xml));base64,(.+)$/.exec(dataUrl) ?? []
  return assetOf(Buffer.from(data, 'base64'), type === 'image/png' ? 'png' : 'svg', type)
}
