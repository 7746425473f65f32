/** The frame of every page of the console: links to pages and sections, signing out, the message above the page. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Brand, PageLinks, SkipLink } from '../layout/head/parts.tsx'
import { ActionButton } from './parts/actions.tsx'
import { Confirmation } from './parts/confirmation.tsx'
import { Notice } from './parts/notice.tsx'
import { signOut } from './sign-in.tsx'

/** A page of the server's path. */
type Section = { path: string; title: string }

type FrameProps = {
  title: string
  /** All sections, and the path of the open one; absent: the page to sign in. */
  menu?: { open: string; sections: readonly Section[] }
  children: ComponentChildren
}

export function Frame({ title, menu, children }: FrameProps) {
  useEffect(() => {
    document.title = `${title} - Swaptide console`
  }, [title])
  return (
    <>
      <SkipLink />
      <header>
        <Brand />
        <Menu>
          <PageLinks current="/admin" mark="true" class="pages-nav" />
          {menu !== undefined && <Sections {...menu} />}
        </Menu>
      </header>
      <main id="content" tabIndex={-1}>
        {menu !== undefined && (
          <>
            <h1>{title}</h1>
            <Notice />
          </>
        )}
        {children}
      </main>
      <footer>
        <span>Console of operators. Times in UTC.</span>
      </footer>
      <Confirmation />
    </>
  )
}

function Sections({ open, sections }: NonNullable<FrameProps['menu']>) {
  return (
    <>
      <nav class="sections" aria-label="Console">
        {sections.map(({ path, title }) => (
          <a key={path} href={path} aria-current={path === open ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      <ActionButton id="sign-out" text="Sign out" work={signOut} />
    </>
  )
}

/** The links, which a button opens on a narrow screen, and Escape closes. */
function Menu({ children }: { children: ComponentChildren }) {
  const isOpen = useSignal(false)
  const opener = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const close = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape' || !isOpen.value) return
      isOpen.value = false
      opener.current?.focus()
    }
    document.addEventListener('keydown', close)
    return () => document.removeEventListener('keydown', close)
  }, [])
  return (
    <>
      <button
        ref={opener}
        type="button"
        class="button"
        id="menu-button"
        aria-expanded={isOpen.value}
        aria-controls="menu"
        onClick={() => {
          isOpen.value = !isOpen.value
        }}
      >
        Menu
      </button>
      <div id="menu" class={isOpen.value ? 'menu open' : 'menu'}>
        {children}
      </div>
    </>
  )
}
