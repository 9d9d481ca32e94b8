/* What kind of machine this is: it does not change while we run, so it is looked at once. */
#ifndef HOTSET_SOURCE_VIRT_H
#define HOTSET_SOURCE_VIRT_H

struct virt {
	char vm[32];        /* "kvm", "vmware", ..., "none"; "vm" for one that does not say */
	char container[32]; /* "docker", "podman", ..., "none" */
	char storage[64];   /* "ext4 on vda1", "overlay" */
};

void virt_find(struct virt *v, const char *prefix);

#endif
