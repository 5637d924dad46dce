// One choice of language for all examples, which the browser keeps.
const groups = [...document.querySelectorAll('.tabs')].map((tabs) => {
  const shown = [...tabs.querySelectorAll('pre')].map((pre) => ({ name: pre.dataset.language, box: pre.parentElement }))
  const bar = document.createElement('div')
  bar.className = 'languages'
  bar.role = 'group'
  bar.ariaLabel = 'Language'
  for (const { name } of shown) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = name
    button.addEventListener('click', () => {
      const top = button.getBoundingClientRect().top
      localStorage.setItem('language', name)
      choose(name)
      scrollBy(0, button.getBoundingClientRect().top - top)
    })
    bar.append(button)
  }
  tabs.prepend(bar)
  tabs.classList.add('ready')
  return { shown, bar }
})

function choose(language) {
  for (const { shown, bar } of groups) {
    const chosen = shown.some(({ name }) => name === language) ? language : shown[0].name
    for (const { name, box } of shown) box.hidden = name !== chosen
    for (const button of bar.children) button.ariaPressed = String(button.textContent === chosen)
  }
}
choose(localStorage.getItem('language'))

// The place on the page: the last heading above the middle of the screen.
const sections = [...document.querySelectorAll('.contents a')].map((link) => ({
  link,
  heading: document.getElementById(decodeURIComponent(link.hash.slice(1))),
}))
function markPlace() {
  const passed = sections.filter(({ heading }) => heading.getBoundingClientRect().top < innerHeight / 2)
  for (const each of sections)
    if (each === passed.at(-1)) each.link.ariaCurrent = 'true'
    else each.link.removeAttribute('aria-current')
}
if (sections.length > 0) addEventListener('scroll', () => requestAnimationFrame(markPlace), { passive: true })

// The search. Its library and its index are loaded when somebody begins to search.
const search = document.querySelector('.search')
if (search) {
  const field = search.querySelector('input')
  const list = search.querySelector('ol')
  const status = search.querySelector('[role=status]')
  let loading
  const load = async () => {
    const [{ default: MiniSearch }, { options, ignored, index }] = await Promise.all([
      import(search.dataset.script),
      fetch('/docs/search.json').then((response) => response.json()),
    ])
    const processTerm = (word) => (ignored.includes(word.toLowerCase()) ? null : word.toLowerCase())
    return MiniSearch.loadJS(index, { ...options, processTerm })
  }
  const show = async () => {
    loading ??= load()
    const words = field.value
    const found = words.trim() === '' ? [] : (await loading).search(words).slice(0, 8)
    if (words !== field.value) return
    list.replaceChildren(
      ...found.map(({ title, page, href }) => {
        const [item, link, place] = ['li', 'a', 'span'].map((name) => document.createElement(name))
        link.href = href
        place.textContent = page
        link.append(title, place)
        item.append(link)
        return item
      }),
    )
    list.hidden = found.length === 0
    status.textContent = words.trim() === '' ? '' : `${found.length === 0 ? 'Nothing' : found.length} found`
  }
  field.addEventListener('focus', show)
  field.addEventListener('input', show)
  search.addEventListener('submit', async (event) => {
    event.preventDefault()
    await show()
    list.querySelector('a')?.click()
  })
  search.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') list.hidden = true
  })
  document.addEventListener('click', ({ target }) => {
    if (!search.contains(target)) list.hidden = true
  })
}
