#include "virt.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define CPUID_HYPERVISOR 0x40000000u
#endif

#include "mounts.h"
#include "procfile.h"

#define CPUINFO_MAX   (64ul * 1024) /* bytes; the flags of the first processor are well within */
#define MOUNTINFO_MAX (64ul * 1024)

struct vendor {
	const char *prefix, *name;
};

/* ---- virtual machine ---- */

static const char *from_dmi(const char *prefix)
{
	static const char *const files[] = {
		"product_name", "sys_vendor", "board_vendor", "bios_vendor"};
	static const struct vendor vendors[] = {{"KVM", "kvm"}, {"OpenStack", "kvm"},
		{"KubeVirt", "kvm"}, {"Amazon EC2", "amazon"}, {"QEMU", "qemu"},
		{"VMware", "vmware"}, {"VMW", "vmware"}, {"innotek GmbH", "virtualbox"},
		{"VirtualBox", "virtualbox"}, {"Oracle Corporation", "virtualbox"}, {"Xen", "xen"},
		{"Bochs", "bochs"}, {"Parallels", "parallels"}, {"BHYVE", "bhyve"},
		{"Hyper-V", "microsoft"}, {"Virtual Machine", "microsoft"},
		{"Google Compute Engine", "google"}, {"Apple Virtualization", "apple"},
		{NULL, NULL}};
	char line[128], path[64];

	for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++) {
		snprintf(path, sizeof(path), "/sys/class/dmi/id/%s", files[f]);
		procfile_line(prefix, path, line, sizeof(line));
		if (f == 0 && strstr(line, ".metal"))
			return "none"; /* Amazon's machines without a hypervisor */
		for (const struct vendor *v = vendors; v->prefix; v++)
			if (strncmp(line, v->prefix, strlen(v->prefix)) == 0)
				return v->name;
	}
	return NULL;
}

static bool has_hypervisor_flag(const char *prefix)
{
	char *text = malloc(CPUINFO_MAX), *flags;
	struct err err;
	size_t len = 0;
	bool yes = false;

	if (!text)
		return false;
	/* A file of many processors does not fit: what was read holds the first one all the same.
	 */
	text[0] = '\0';
	if (!procfile_read(prefix, "/proc/cpuinfo", text, CPUINFO_MAX, &len, &err))
		text[CPUINFO_MAX - 1] = '\0';
	flags = strstr(text, "\nflags");
	if (flags) {
		flags[1 + strcspn(flags + 1, "\n")] = '\0';
		yes = strstr(flags, " hypervisor") != NULL;
	}
	free(text);
	return yes;
}

/* The processor itself says under whom it runs; false for a copy of another host's files. */
static bool from_cpuid(const char *prefix, char *out, size_t cap)
{
#if defined(__x86_64__) || defined(__i386__)
	static const struct vendor vendors[] = {{"KVMKVMKVM", "kvm"}, {"Linux KVM Hv", "kvm"},
		{"TCGTCGTCGTCG", "qemu"}, {"VMwareVMware", "vmware"}, {"Microsoft Hv", "microsoft"},
		{"XenVMMXenVMM", "xen"}, {"bhyve bhyve ", "bhyve"}, {"ACRNACRNACRN", "acrn"},
		{NULL, NULL}};
	unsigned eax = 0, sig[3] = {0};
	char text[13] = "";

	if (*prefix || !has_hypervisor_flag(prefix))
		return false;
	__cpuid(CPUID_HYPERVISOR, eax, sig[0], sig[1], sig[2]);
	memcpy(text, sig, 12);
	for (const struct vendor *v = vendors; v->prefix; v++)
		if (strcmp(text, v->prefix) == 0) {
			snprintf(out, cap, "%s", v->name);
			return true;
		}
#else
	(void)prefix;
	(void)out;
	(void)cap;
#endif
	return false;
}

static const char *find_vm(const char *prefix, char *line, size_t cap)
{
	const char *name = from_dmi(prefix);

	if (name)
		return name;
	if (from_cpuid(prefix, line, cap))
		return line;
	if (procfile_exists(prefix, "/proc/xen"))
		return "xen";
	procfile_line(prefix, "/sys/hypervisor/type", line, cap);
	if (*line)
		return line;
	procfile_line(prefix, "/proc/device-tree/hypervisor/compatible", line, cap);
	if (*line)
		return strstr(line, "kvm") ? "kvm" : "vm";
	return has_hypervisor_flag(prefix) ? "vm" : "none";
}

/* ---- container ---- */

static bool is_wsl(const char *prefix)
{
	char line[128];

	procfile_line(prefix, "/proc/sys/kernel/osrelease", line, sizeof(line));
	return strstr(line, "Microsoft") || strstr(line, "WSL");
}

static const char *find_container(const char *prefix, char *line, size_t cap)
{
	if (procfile_exists(prefix, "/proc/vz") && !procfile_exists(prefix, "/proc/bc"))
		return "openvz";
	if (is_wsl(prefix))
		return "wsl";
	procfile_line(prefix, "/run/host/container-manager", line, cap);
	if (!*line)
		procfile_line(prefix, "/run/systemd/container", line, cap);
	if (*line)
		return line;
	if (procfile_exists(prefix, "/run/.containerenv"))
		return "podman";
	if (procfile_exists(prefix, "/.dockerenv"))
		return "docker";
	procfile_line(prefix, "/proc/1/environ", line, cap);
	if (strncmp(line, "container=", 10) == 0)
		return line + 10;
	return "none";
}

/* ---- storage ---- */

/* Where the databases of this host keep their data by default; else the root. */
static const char *data_path(const char *prefix)
{
	static const char *const paths[] = {
		"/var/lib/mongodb", "/var/lib/mongo", "/data/db", "/var/lib/redis", NULL};

	for (const char *const *p = paths; *p; p++)
		if (procfile_exists(prefix, *p))
			return *p;
	return "/";
}

static void find_storage(const char *prefix, char *out, size_t cap)
{
	char *text = malloc(MOUNTINFO_MAX);
	struct mount m;
	struct err err;
	size_t len;

	snprintf(out, cap, "%s", "");
	if (text &&
		procfile_read(prefix, "/proc/self/mountinfo", text, MOUNTINFO_MAX, &len, &err) &&
		mounts_of_path(text, data_path(prefix), &m)) {
		if (strncmp(m.source, "/dev/", 5) == 0)
			snprintf(out, cap, "%.24s on %.32s", m.type, m.source + 5);
		else
			snprintf(out, cap, "%s", m.type);
	}
	free(text);
}

void virt_find(struct virt *v, const char *prefix)
{
	char line[128];

	snprintf(v->vm, sizeof(v->vm), "%.31s", find_vm(prefix, line, sizeof(line)));
	snprintf(v->container, sizeof(v->container), "%.31s",
		find_container(prefix, line, sizeof(line)));
	find_storage(prefix, v->storage, sizeof(v->storage));
}
