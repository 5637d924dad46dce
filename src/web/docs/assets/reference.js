// Shows the API document with Scalar. Nothing is loaded from or sent to other servers, and a token that is entered
// stays in the page.
// Until an operation is opened, there is only the list of them.
const { renderer, styles, tryIt, token: tokenPath } = document.currentScript.dataset

// One sample in each of the languages that partners use most.
const hiddenClients = {
  c: true,
  clojure: true,
  csharp: ['restsharp'],
  dart: true,
  fsharp: true,
  http: true,
  java: ['asynchttp', 'nethttp', 'unirest'],
  js: ['axios', 'jquery', 'ofetch', 'xhr'],
  julia: true,
  kotlin: true,
  node: true,
  objc: true,
  ocaml: true,
  php: ['guzzle', 'laravel'],
  powershell: true,
  python: ['aiohttp', 'httpx_async', 'httpx_sync', 'python3'],
  r: true,
  rust: true,
  shell: ['httpie', 'wget'],
  swift: true,
}

function loadScript(src) {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script')
    Object.assign(script, { src, onload: resolve, onerror: reject })
    document.head.append(script)
  })
}

// In a sandbox on this machine, requests need no credentials: the page gets a token of 15 minutes, and the next one in
// its last minute.
let given = { until: 0 }
async function sandboxToken() {
  if (Date.now() < given.until) return given.token
  const response = await fetch(tokenPath, { method: 'POST' })
  if (!response.ok) return given.token
  const { access_token: token, expires_in: seconds } = await response.json()
  given = { token, until: Date.now() + (seconds - 60) * 1_000 }
  return token
}

async function open() {
  document.querySelector('link[rel=stylesheet]').href = styles
  document.body.className = ''
  document.body.replaceChildren(document.getElementById('opened').content)
  const [token] = await Promise.all([tokenPath && sandboxToken(), loadScript(renderer)])
  const isOurs = ({ headers }) => headers.get('Authorization') === `Bearer ${token}`
  new MutationObserver(complete).observe(document.body, { childList: true, subtree: true })
  document.getElementById('reference').replaceChildren()
  globalThis.Scalar.createApiReference('#reference', {
    url: '/openapi.json',
    layout: 'modern',
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    hideTestRequestButton: tryIt !== 'yes',
    persistAuth: false,
    authentication: {
      preferredSecurityScheme: 'oauth2',
      ...(token && { securitySchemes: { oauth2: { flows: { clientCredentials: { token } } } } }),
    },
    async onRequestBuilt({ request }) {
      if (token && isOurs(request)) request.headers.set('Authorization', `Bearer ${await sandboxToken()}`)
    },
    documentDownloadType: 'json',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    hiddenClients,
    // A message is sent to the partner, so there is no request to try. The renderer's own colours have too little
    // contrast (WCAG 2.2, 1.4.3).
    customCss: `section[id*="/webhook/"] .show-api-client-button { display: none }
.dark-mode { --scalar-color-3: #9aa7b4; --scalar-color-red: #ff8a80 }
.light-mode, .light-mode .dark-mode { --scalar-color-3: #5b6570 }
.light-mode { --scalar-color-green: #0a6b4a; --scalar-color-orange: #9a4a00; --scalar-color-blue: #0b5fb0; --scalar-color-red: #b3261e; --scalar-color-yellow: #7a5a00 }
.light-mode :is(.hljs-literal, .hljs-number):not(.dark-mode *) { color: #0a6b4a }`,
    generateOperationSlug: ({ operationId, path }) => operationId ?? path,
  })
}

/** Adds the names and states that the renderer leaves out of the fields for credentials, and screen readers need. */
function complete() {
  // Its list of variables stays closed, because there are none.
  for (const field of document.querySelectorAll('[role=combobox]:not([aria-expanded])')) field.ariaExpanded = 'false'
  for (const button of document.querySelectorAll('button[id^=headlessui-disclosure]'))
    if (!button.ariaLabel && button.textContent.trim() === '') button.ariaLabel = 'More'
}

// Once it is open, the renderer follows the address.
function openNamed() {
  if (location.hash.startsWith('#tag/') && document.getElementById('opened')) open()
}
openNamed()
addEventListener('hashchange', openNamed)
