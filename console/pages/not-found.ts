import { html } from 'lit-html'
import type { OpenPage } from '../page.ts'

export const openNotFound: OpenPage = () => ({
  title: 'There is no such page',
  view: () => html`<p>Check the address, or begin with <a href="/console/webhooks">your webhooks</a>.</p>`,
})
