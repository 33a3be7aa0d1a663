import { type CSSVariablesResolver, createTheme, Menu, Modal, Popover } from '@mantine/core'

/** Mantine draws overlays and calendars with our tokens; everything else is src/ui. */
export const mantineTheme = createTheme({
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--font-mono)',
  defaultRadius: 6,
  respectReducedMotion: true,
  components: {
    Popover: Popover.extend({ defaultProps: { shadow: 'none', transitionProps: { duration: 0 } } }),
    Menu: Menu.extend({ defaultProps: { shadow: 'none', transitionProps: { duration: 0 } } }),
    Modal: Modal.extend({
      defaultProps: { transitionProps: { duration: 0 }, closeButtonProps: { 'aria-label': 'Close' } },
    }),
  },
})

const tokens = {
  '--mantine-color-body': 'var(--raised)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--text3)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-hover': 'var(--sunken)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--border-strong)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-primary-color-filled': 'var(--accent)',
  '--mantine-primary-color-filled-hover': 'var(--accent)',
  '--mantine-primary-color-light': 'var(--accent-soft)',
  '--mantine-primary-color-light-hover': 'var(--accent-soft)',
  '--mantine-primary-color-light-color': 'var(--accent)',
  '--mantine-primary-color-contrast': 'var(--on-accent)',
  '--mantine-font-size-sm': '12.5px',
  '--mantine-line-height': '20px',
}

export const mantineVariables: CSSVariablesResolver = () => ({ variables: {}, light: tokens, dark: tokens })
