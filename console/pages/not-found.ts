import { html } from 'lit-html'
import type { OpenPage } from '../page.ts'

export const openNotFound: OpenPage = () => ({
  title: 'Page not found',
  view: () => html`<p>Check the address, or go to <a href="/console/webhooks">your webhooks</a>.</p>`,
})
