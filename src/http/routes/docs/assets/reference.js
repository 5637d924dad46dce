// Shows the API document with Scalar. Nothing is loaded from or sent to other servers, and a token that is entered stays in the page.
const place = document.getElementById('reference')

// The renderer's own samples, which use `fetch` and the like. The document has samples of our clients instead; only curl has no client.
const hiddenClients = {
  c: ['libcurl'],
  clojure: ['clj_http'],
  csharp: ['httpclient', 'restsharp'],
  dart: ['http'],
  fsharp: ['httpclient'],
  go: ['native'],
  http: ['http1.1'],
  java: ['asynchttp', 'nethttp', 'okhttp', 'unirest'],
  js: ['axios', 'fetch', 'jquery', 'ofetch', 'xhr'],
  julia: ['http'],
  kotlin: ['okhttp'],
  node: ['axios', 'fetch', 'ofetch', 'undici'],
  objc: ['nsurlsession'],
  ocaml: ['cohttp'],
  php: ['curl', 'guzzle', 'laravel'],
  powershell: ['restmethod', 'webrequest'],
  python: ['aiohttp', 'httpx_async', 'httpx_sync', 'python3', 'requests'],
  r: ['httr2'],
  ruby: ['native'],
  rust: ['reqwest'],
  shell: ['httpie', 'wget'],
  swift: ['nsurlsession'],
}

globalThis.Scalar.createApiReference(place, {
  url: '/docs/openapi.json',
  layout: 'modern',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  hideTestRequestButton: place.dataset.tryIt !== 'yes',
  persistAuth: false,
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients,
  // A message is sent to the partner, so there is no request to try. The renderer's own colours have too little contrast (WCAG 2.2, 1.4.3).
  customCss: `section[id*="/webhook/"] .show-api-client-button { display: none }
.dark-mode { --scalar-color-3: #9aa7b4; --scalar-color-red: #ff8a80 }
.light-mode, .light-mode .dark-mode { --scalar-color-3: #5b6570 }
.light-mode { --scalar-color-green: #0a6b4a; --scalar-color-orange: #9a4a00; --scalar-color-blue: #0b5fb0; --scalar-color-red: #b3261e; --scalar-color-yellow: #7a5a00 }
.light-mode :is(.hljs-literal, .hljs-number):not(.dark-mode *) { color: #0a6b4a }`,
  generateOperationSlug: ({ operationId, path }) => operationId ?? path,
})
