package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-1ae66336/vak/core/internal/host"
	"github.com/seed-1ae66336/vak/core/internal/install"
	"github.com/seed-1ae66336/vak/core/internal/install/key"
)

func (a *app) pluginKeygenCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "keygen --out FILE",
		Short: "Make a key to sign plugins with",
		Long: `Make an ed25519 key to sign plugins with. The private key is written to FILE, with
mode 0600; a file that is there is left alone. The public key and its fingerprint
are shown: publish them where those who install your plugins can compare them.`,
		Example:           "  vak plugin keygen --out acme.key",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			if out == "" {
				return usagef("name the file for the private key: --out FILE")
			}
			k, err := key.Generate()
			if err != nil {
				return err
			}
			if err := k.Write(out); err != nil {
				return &problem{exitInput, err.Error()}
			}
			_, err = fmt.Fprintf(a.out, "%s\n%s\n", k.Public(), k.Public().Fingerprint())
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "write the private key to `FILE`")
	return cmd
}

func (a *app) pluginPackCommand() *cobra.Command {
	var sign, out string
	cmd := &cobra.Command{
		Use:   "pack DIR",
		Short: "Make an archive of a plugin, signed or not",
		Long: `Make an archive of the plugin in DIR: its binary, and what else lies there. The
plugin.json is made anew by the binary, which is run for that in the sandbox of
renderers; of one that is there, "binary" says which file that is, and "grants" is
taken over. The same files give the same archive, byte for byte.

With --sign it is signed with the private key in KEYFILE, which "vak plugin keygen"
made. What is signed says docs/plugins.md.`,
		Example: `  vak plugin pack ./acme
  vak plugin pack ./acme --sign acme.key --out acme-1.2.0-linux-amd64.tar.gz`,
		ValidArgsFunction: completeFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("name one folder")
			}
			p := install.Packer{Manifest: host.Manifest, Describe: host.Describe}
			if sign != "" {
				k, err := key.Read(sign)
				if err != nil {
					return &problem{exitInput, err.Error()}
				}
				p.Sign = &k
			}
			done, err := p.Pack(cmd.Context(), args[0], out)
			if err != nil {
				return err
			}
			by := "signed by nobody"
			if !done.Key.IsZero() {
				by = "signed by " + done.Key.Fingerprint()
			}
			_, err = fmt.Fprintf(a.out, "%s  %s %s, %s\n", visible(done.Path), visible(done.ID), visible(done.Version), by)
			return err
		},
	}
	cmd.Flags().StringVar(&sign, "sign", "", "sign it with the private key in `KEYFILE`")
	cmd.Flags().StringVar(&out, "out", "", "write it to `FILE` (default: ID-VERSION.tar.gz)")
	return cmd
}
