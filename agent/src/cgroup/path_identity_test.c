#include "cgroup/path_identity.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define ID     "4c1f0e1b7f5a2d9e8c3b6a7d0e5f4c2b1a9d8e7f6c5b4a3d2e1f0c9b8a7d6e5f"
#define INNER  "aaaa0e1b7f5a2d9e8c3b6a7d0e5f4c2b1a9d8e7f6c5b4a3d2e1f0c9b8a7d6e5f"
#define UID    "6f1f7c2e-95b1-4f8a-9a37-0f4d6c2b7a10"
#define UID_   "6f1f7c2e_95b1_4f8a_9a37_0f4d6c2b7a10"
#define STATIC "0123456789abcdef0123456789abcdef"

static const struct {
	const char *path, *runtime, *runtime_id, *pod_uid;
} containers[] = {
	/* Docker, cgroupfs and systemd drivers, a parent of one's own, rootless, inside */
	{"/docker/" ID, "", ID, ""},
	{"/system.slice/docker-" ID ".scope", "docker", ID, ""},
	{"/ecs/task/" ID, "", ID, ""},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" ID ".scope", "docker",
	 ID, ""},
	{"/docker/" ID "/system.slice/nginx.service", "", ID, ""},
	/* containerd through the CRI, both drivers, static pods, and runc's mixed form */
	{"/kubepods/burstable/pod" UID "/" ID, "", ID, UID},
	{"/kubepods/pod" UID "/" ID, "", ID, UID},
	{"/kubepods/besteffort/pod" STATIC "/" ID, "", ID, STATIC},
	{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_
	 ".slice/cri-containerd-" ID ".scope",
	 "containerd", ID, UID},
	{"/kubepods.slice/kubepods-pod" UID_ ".slice/cri-containerd-" ID ".scope", "containerd", ID,
	 UID},
	{"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" STATIC
	 ".slice/cri-containerd-" ID ".scope",
	 "containerd", ID, STATIC},
	{"/system.slice/containerd.service/kubepods-burstable-pod" UID_ ".slice:cri-containerd:" ID,
	 "containerd", ID, UID},
	{"/default/nerdctl-" ID ".scope", "containerd", ID, ""},
	/* CRI-O */
	{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice/crio-" ID
	 ".scope",
	 "cri-o", ID, UID},
	{"/kubepods/burstable/pod" UID "/crio-" ID, "cri-o", ID, UID},
	/* Podman */
	{"/machine.slice/libpod-" ID ".scope", "podman", ID, ""},
	{"/machine.slice/libpod-" ID ".scope/container", "podman", ID, ""},
	{"/libpod_parent/libpod-" ID, "podman", ID, ""},
	/* a runtime nobody has heard of, and a container inside a container */
	{"/weird/thing-" ID ".scope", "", ID, ""},
	{"/docker/" ID "/kubepods/burstable/pod" UID "/" INNER, "", INNER, UID},
};

static void containers_are_found_in_every_known_path(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(containers) / sizeof(containers[0]); i++) {
		struct path_identity identity;

		path_identity_parse(containers[i].path, &identity);
		if (!identity.is_container)
			fail_msg("no container in %s", containers[i].path);
		assert_string_equal(identity.runtime, containers[i].runtime);
		assert_string_equal(identity.runtime_id, containers[i].runtime_id);
		assert_string_equal(identity.pod_uid, containers[i].pod_uid);
	}
}

static const struct {
	const char *path, *name;
} systems[] = {
	{"/", "kernel and root tasks"},
	{"", "kernel and root tasks"},
	{"/system.slice/kubelet.service", "kubelet.service"},
	{"/system.slice/kubelet.service/sub", "kubelet.service/sub"},
	{"/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service"},
	{"/system.slice/dev-disk-by\\x2duuid.mount", "dev-disk-by-uuid.mount"},
	{"/user.slice/user-1000.slice/session-3.scope", "session-3.scope"},
	{"/system.slice", "system.slice"},
	{"/process_api/4961c34b003dd295c0161dcb5113f79a",
	 "process_api/4961c34b003dd295c0161dcb5113f79a"},
	{"/kubepods", "kubepods"},
	{"/kubepods/burstable/pod" UID, "pod " UID},
	{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_ ".slice",
	 "pod " UID},
	/* a runtime's own helper beside the container */
	{"/machine.slice/libpod-conmon-" ID ".scope", "libpod-conmon-" ID ".scope"},
	{"/kubepods.slice/crio-conmon-" ID ".scope", "crio-conmon-" ID ".scope"},
	/* near misses */
	{"/docker/4C1F0E1B7F5A2D9E8C3B6A7D0E5F4C2B1A9D8E7F6C5B4A3D2E1F0C9B8A7D6E5F",
	 "docker/4C1F0E1B7F5A2D9E8C3B6A7D0E5F4C2B1A9D8E7F6C5B4A3D2E1F0C9B8A7D6E5F"},
	{"/podlet/x", "podlet/x"},
};

static void everything_else_is_system_with_a_readable_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
		struct path_identity identity;
		char name[256];

		path_identity_parse(systems[i].path, &identity);
		if (identity.is_container)
			fail_msg("a container in %s", systems[i].path);
		path_system_name(systems[i].path, name, sizeof(name));
		assert_string_equal(name, systems[i].name);
	}
}

static void long_names_are_cut_not_overrun(void **state)
{
	char name[8];

	(void)state;
	path_system_name("/a-very-long-name", name, sizeof(name));
	assert_string_equal(name, "a-very-");
}

static void ids_are_stable_and_fit_a_signed_column(void **state)
{
	(void)state;
	/* FNV-1a 64 by its published constants; these values are in databases. */
	assert_int_equal(container_id_of(false, "/"), 0x608df6b1d5ba6207);
	assert_int_equal(container_id_of(false, FOLD_PATH), 0x2c4f85cbc844589f);
	assert_true(container_id_of(true, ID) != container_id_of(false, ID));
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]); i++)
		assert_true((int64_t)container_id_of(false, systems[i].path) >= 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(containers_are_found_in_every_known_path),
		cmocka_unit_test(everything_else_is_system_with_a_readable_name),
		cmocka_unit_test(long_names_are_cut_not_overrun),
		cmocka_unit_test(ids_are_stable_and_fit_a_signed_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
