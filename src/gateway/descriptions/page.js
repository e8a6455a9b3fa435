/* One group of the documentation is shown at a time: the one that the address names, or has the entry that it names. */

const groups = document.querySelectorAll('.group')

function showGroup() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  const shown = named?.closest('.group') ?? groups[0]
  for (const group of groups) group.hidden = group !== shown
  for (const links of document.querySelectorAll('[data-group]')) links.hidden = links.dataset.group !== shown.id
  for (const link of document.querySelectorAll('.to-group')) {
    if (link.hash === `#${shown.id}`) link.setAttribute('aria-current', 'true')
    else link.removeAttribute('aria-current')
  }
  if (named === shown) scrollTo(0, 0)
  else named?.scrollIntoView()
}
addEventListener('hashchange', showGroup)
showGroup()

/* The documentation's requests that can be tried. Addresses are relative, so that they work below a path prefix. */

for (const form of document.querySelectorAll('form[data-path]')) {
  form.addEventListener('submit', event => {
    event.preventDefault()
    void run(form)
  })
}

async function run(form) {
  const url = urlOf(form)
  const token = form.querySelector('[data-token]')?.value ?? ''
  const result = form.querySelector('.result')
  const show = (status, body) => {
    form.querySelector('[data-url]').textContent = `GET ${url.pathname}${url.search}`
    form.querySelector('[data-status]').textContent = status
    form.querySelector('[data-body]').textContent = body
    result.hidden = false
  }
  try {
    const response = await fetch(url, { headers: token === '' ? {} : { Authorization: `Bearer ${token}` } })
    const text = await response.text()
    show(`${response.status} ${response.statusText}`, isJson(response) ? JSON.stringify(JSON.parse(text), null, 2) : text)
  } catch (error) {
    show('no answer', String(error))
  }
}

function urlOf(form) {
  let path = form.dataset.path.slice(1)
  const query = new URLSearchParams()
  for (const field of form.querySelectorAll('[name]')) {
    const { name } = field
    const value = field.multiple ? Array.from(field.selectedOptions, option => option.value).join() : field.value
    const place = `{${name}}`
    if (path.includes(place)) path = path.replace(place, encodeURIComponent(value))
    else if (value !== '') query.set(name, value)
  }
  const url = new URL(path, document.baseURI)
  url.search = query.toString()
  return url
}

function isJson(response) {
  return /[/+]json/.test(response.headers.get('Content-Type') ?? '')
}
